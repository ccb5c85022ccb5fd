package hooks

import (
	"slices"
	"strings"
)

// isSecretFile reports whether a file of this name holds secrets and little else:
// its name may be remembered, its content never. Names are compared without case,
// with slashes of either kind.
func isSecretFile(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	dir, base := "/", name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, base = "/"+name[:i+1], name[i+1:]
	}
	stem, ext := base, ""
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		stem, ext = base[:i], base[i+1:]
	}
	switch {
	case base == "" || ext == "pub":
		return false
	case slices.Contains(secretNames, base):
		return true
	case strings.HasPrefix(base, ".env"):
		return base == ".envrc" || isEnvironment(base[len(".env"):])
	case slices.Contains(secretEndings, ext) && !strings.HasPrefix(stem, "."):
		return !isPattern(stem)
	case ext == "backup" && strings.HasSuffix(stem, ".tfstate"):
		return true
	case strings.HasPrefix(base, "id_"):
		return slices.Contains(keyKinds, strings.TrimSuffix(base[len("id_"):], "_sk"))
	case slices.Contains(dataEndings, ext) && isSecretStem(stem):
		return true
	}
	return slices.ContainsFunc(secretPlaces, func(p string) bool { return strings.HasSuffix(dir+base, p) }) ||
		slices.ContainsFunc(secretFolders, func(f string) bool { return strings.Contains(dir, f) }) && !slices.Contains(openNames, base) ||
		strings.HasPrefix(dir, "//proc/") && base == "environ"
}

var (
	secretNames = []string{
		".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".git-credentials", ".htpasswd",
		".dockercfg", ".vault-token", ".s3cfg", ".boto", "rclone.conf", "kubeconfig", "credentials", ".credentials.json", "auth.json",
		"application_default_credentials.json", "credentials.tfrc.json", "master.key", "secring.gpg", "wallet.dat", "logins.json", "key4.db",
		".bash_history", ".zsh_history", ".psql_history", ".mysql_history", ".rediscli_history",
	}
	secretEndings = []string{"env", "pem", "key", "p8", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "kubeconfig", "tfstate", "tfvars", "ovpn"}
	keyKinds      = []string{"rsa", "dsa", "ecdsa", "ed25519"}
	dataEndings   = []string{"yml", "yaml", "json", "toml", "ini", "properties", "csv", "xml", "txt"}
	secretPlaces  = []string{"/.docker/config.json", "/.kube/config", "/gh/hosts.yml", "/etc/shadow", "/etc/kubernetes/admin.conf"}
	secretFolders = []string{"/.ssh/", "/.gnupg/", "/run/secrets/"}
	openNames     = []string{"config", "known_hosts", "authorized_keys"} // in those folders
)

// isEnvironment reports whether what follows .env in a name makes it one in use, and
// no example of one.
func isEnvironment(rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] != '.' && rest[0] != '-' && rest[0] != '_' {
		return false
	}
	for _, open := range []string{"example", "sample", "template", "tpl", "dist", "defaults", "default", "schema"} {
		if strings.HasSuffix(rest, open) {
			return false
		}
	}
	return true
}

// isSecretStem reports whether a file of data is called after secrets.
func isSecretStem(stem string) bool {
	for _, begin := range []string{"secrets.", "secret.", "credentials.", "client_secret", "service-account", "service_account", "serviceaccount"} {
		if strings.HasPrefix(stem+".", begin) {
			return true
		}
	}
	return strings.HasSuffix(stem, ".secrets") || strings.HasSuffix(stem, "-secrets") || strings.HasSuffix(stem, "_secrets")
}

// isPattern reports whether the stem of a name is part of a command's language and
// no name.
func isPattern(stem string) bool { return strings.ContainsAny(stem, "$^()[]{}") }
