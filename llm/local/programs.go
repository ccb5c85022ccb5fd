package local

import (
	"path"
	"strings"
	"sync"
)

// purpose says what a command is for.
type purpose int

// The purposes, from least to most telling: a line of several commands is known
// by its most telling one.
const (
	forNothing purpose = iota // cd, echo, sleep …
	forReading                // looks, and changes nothing
	forRunning                // any program
	forGit                    // git that changes a repository, but commits
	forEditing                // sed -i, mv, rm …
	forLinting
	forInstalling
	forBuilding
	forServing // containers and services
	forData    // migrations and SQL
	forHub     // pull requests, issues, releases
	forDeploying
	forTesting
	forCommitting
)

// programs gives the purpose of a program by its name alone.
var programs = sync.OnceValue(func() map[string]purpose {
	return byName(map[purpose]string{
		forNothing:   "cd pushd popd echo printf true false : export set unset alias source . sleep wait exit mkdir chmod chown clear kill pkill killall trap ulimit test [ [[ pwd read local declare return shift eval let break continue type touch tput",
		forReading:   "ls cat bat head tail less more wc grep egrep fgrep rg ag ack find fd tree stat file du df diff cmp awk gawk cut sort uniq jq yq which whereis man printenv date ps top htop whoami hostname uname id lsof netstat ss column tr xxd od nl tac readlink realpath basename dirname strings md5sum sha256sum nproc free lscpu sed comm paste fold seq tokei cloc history env pgrep journalctl dig nslookup ping exa eza",
		forEditing:   "mv cp rm tee patch apply_patch rsync ln install-file truncate dos2unix unzip tar",
		forLinting:   "golangci-lint eslint ruff flake8 mypy pyright pylint black isort prettier gofmt gofumpt goimports staticcheck shellcheck rubocop stylelint biome hadolint yamllint markdownlint clang-tidy clang-format rustfmt ktlint checkstyle tflint actionlint oxlint pre-commit",
		forBuilding:  "tsc webpack vite rollup esbuild cmake ninja gcc g++ clang clang++ cc javac kotlinc rustc bazel goreleaser swiftc msbuild protoc buf sqlc turbo nx meson scons",
		forTesting:   "pytest py.test tox nox jest vitest mocha ava gotestsum ginkgo rspec phpunit pest ctest bats playwright cypress karma nosetests cargo-nextest k6",
		forData:      "alembic goose flyway liquibase dbmate migrate knex atlas psql mysql sqlite3 mongosh mongo redis-cli clickhouse-client sqlcmd",
		forServing:   "docker docker-compose podman minikube kind systemctl service supervisorctl pm2",
		forDeploying: "terraform tofu pulumi ansible-playbook flyctl fly vercel netlify heroku serverless wrangler twine",
	})
})

// subcommands gives the purpose of a program by its first words that are no flags.
var subcommands = sync.OnceValue(func() map[string]purpose {
	return byName(map[purpose]string{
		forTesting:    "go_test cargo_test cargo_nextest cargo_bench mvn_test mvn_verify mvn_integration-test mvnw_test mvnw_verify gradle_test gradle_check gradlew_test gradlew_check npm_test npm_t yarn_test pnpm_test bun_test deno_test rake_test rake_spec rails_test dotnet_test swift_test mix_test zig_test sbt_test flutter_test dart_test nx_test vite_test",
		forBuilding:   "go_build go_install go_generate cargo_build cargo_check npm_build yarn_build pnpm_build mvn_compile mvn_package mvn_install mvnw_compile mvnw_package gradle_build gradle_assemble gradlew_build gradlew_assemble dotnet_build dotnet_publish docker_build docker_buildx docker-compose_build podman_build next_build swift_build zig_build mix_compile sbt_compile flutter_build bun_build deno_compile",
		forLinting:    "go_vet go_fmt go_fix cargo_clippy cargo_fmt npm_lint yarn_lint pnpm_lint next_lint deno_lint deno_fmt dotnet_format mix_format nx_lint",
		forInstalling: "npm_install npm_i npm_add npm_ci npm_uninstall npm_remove npm_update npm_audit yarn_install yarn_add yarn_remove yarn_upgrade pnpm_install pnpm_i pnpm_add pnpm_remove pnpm_update bun_install bun_add bun_remove pip_install pip_uninstall pip3_install pip3_uninstall uv_add uv_pip uv_sync uv_remove poetry_add poetry_install poetry_remove poetry_update pipenv_install go_get go_mod cargo_add cargo_install cargo_remove cargo_update apt_install apt-get_install apt_upgrade brew_install gem_install bundle_install bundle_add bundle_update composer_require composer_install dotnet_add dotnet_restore apk_add conda_install mamba_install dnf_install yum_install pacman_-S rustup_component rustup_update nvm_install mise_install asdf_install pdm_add pdm_install",
		forReading:    "docker_ps docker_logs docker_images docker_inspect docker_stats docker_version docker-compose_ps docker-compose_logs kubectl_get kubectl_describe kubectl_logs kubectl_top kubectl_config kubectl_explain helm_list helm_get helm_status terraform_plan terraform_show terraform_state terraform_validate systemctl_status systemctl_is-active npm_ls npm_list npm_view npm_outdated npm_info npm_config pip_list pip_show pip_freeze go_list go_env go_doc go_version go_tool cargo_tree cargo_metadata gh_api gh_status brew_list brew_info node_-v node_--version poetry_show yarn_why pnpm_why alembic_history alembic_current pm2_logs pm2_list aws_sts",
		forData:       "prisma_migrate prisma_db prisma_generate rails_db:migrate rails_db:rollback rake_db:migrate sequelize_db:migrate sequelize-cli_db:migrate diesel_migration typeorm_migration:run typeorm_migration:generate drizzle-kit_generate drizzle-kit_migrate drizzle-kit_push sqlx_migrate django-admin_migrate artisan_migrate mix_ecto.migrate",
		forDeploying:  "npm_publish yarn_publish pnpm_publish cargo_publish kubectl_apply kubectl_delete kubectl_rollout kubectl_scale kubectl_patch kubectl_set helm_upgrade helm_install helm_rollback gcloud_run gcloud_app gcloud_functions aws_s3 aws_lambda aws_ecs aws_cloudformation gh_release docker_push",
		forHub:        "gh_pr gh_issue gh_run gh_workflow glab_mr glab_issue hub_pull-request",
	})
})

// gitReading are the git commands that change nothing.
var gitReading = set("status log diff show blame branch remote config rev-parse describe ls-files ls-tree grep shortlog reflog cat-file fetch rev-list merge-base check-ignore name-rev for-each-ref count-objects version help whatchanged")

func byName(m map[purpose]string) map[string]purpose {
	out := map[string]purpose{}
	for p, names := range m {
		for n := range strings.FieldsSeq(names) {
			out[strings.ReplaceAll(n, "_", " ")] = p
		}
	}
	// Names with an underscore of their own.
	if p, ok := out["apply patch"]; ok {
		delete(out, "apply patch")
		out["apply_patch"] = p
	}
	return out
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// purposeOf says what a command is for.
func purposeOf(c command) purpose {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(c.words[0], `\`, "/")), ".exe")
	args := c.words[1:]
	sub := firstWord(args)
	p, known := programs()[name]
	switch name {
	case "git":
		return gitPurpose(args)
	case "npm", "yarn", "pnpm", "bun", "make", "gmake", "just", "task", "rake", "composer", "deno", "invoke", "nx", "turbo":
		if q, ok := scriptPurpose(name, args); ok {
			return q
		}
	case "python", "python3", "py", "php", "ruby", "node", "deno-run":
		if q, ok := interpreterPurpose(name, args); ok {
			return q
		}
	case "sed":
		if hasFlag(args, 'i', "--in-place") {
			return forEditing
		}
		return forReading
	case "perl":
		if hasFlag(args, 'i', "") {
			return forEditing
		}
		return forRunning
	case "docker":
		if sub == "compose" {
			name, args = "docker-compose", args[1:]
			sub = firstWord(args)
			p = forServing
		}
	case "psql", "mysql", "sqlite3":
		if readsOnly(c) {
			return forReading
		}
	case "gh", "glab":
		for _, w := range args {
			switch w {
			case "view", "list", "status", "diff", "checks", "watch":
				return forReading
			}
		}
	case "tar", "unzip":
		return forRunning
	}
	if q, ok := subcommands()[name+" "+sub]; ok {
		return q
	}
	if len(args) > 0 {
		if q, ok := subcommands()[name+" "+args[0]]; ok {
			return q
		}
	}
	if known {
		return p
	}
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-v" || args[0] == "--help" || args[0] == "-h") {
		return forReading
	}
	return forRunning
}

func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// hasFlag reports whether a short flag stands in args, alone or among others.
func hasFlag(args []string, short byte, long string) bool {
	for _, a := range args {
		if long != "" && strings.HasPrefix(a, long) {
			return true
		}
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a[:min(len(a), 4)], short) > 0 {
			return true
		}
	}
	return false
}

func gitPurpose(args []string) purpose {
	rest := skipFlags(args, "Cc")
	if len(rest) == 0 {
		return forReading
	}
	switch verb := rest[0]; {
	case verb == "commit":
		return forCommitting
	case verb == "add" || verb == "init":
		return forNothing
	case verb == "mv" || verb == "rm" || verb == "apply" || verb == "am":
		return forEditing
	case verb == "branch" && len(rest) > 1 && !strings.HasPrefix(rest[1], "-"),
		verb == "remote" && len(rest) > 2, verb == "stash" && len(rest) < 2:
		return forGit
	case verb == "stash" && (rest[1] == "list" || rest[1] == "show"), verb == "tag" && len(rest) < 2:
		return forReading
	case gitReading[verb]:
		return forReading
	}
	return forGit
}

// scriptPurpose tells a script of package.json, or a target of make and the
// like, by its name.
func scriptPurpose(runner string, args []string) (purpose, bool) {
	rest := skipFlags(args, "Cf")
	if len(rest) > 0 && (rest[0] == "run" || rest[0] == "run-script" || rest[0] == "workspace") {
		rest = rest[1:]
	} else if runner == "npm" || runner == "bun" || runner == "deno" {
		return 0, false
	}
	if len(rest) == 0 {
		return forBuilding, runner == "make" || runner == "gmake"
	}
	if p, ok := subcommands()[runner+" "+rest[0]]; ok {
		return p, true
	}
	name := strings.ToLower(rest[0])
	for _, k := range []struct {
		p     purpose
		words string
	}{
		{forLinting, "lint format fmt typecheck type-check check-types vet prettier eslint"},
		{forTesting, "test spec e2e check coverage bench"},
		{forData, "migrate migration db: seed"},
		{forDeploying, "deploy publish release"},
		{forBuilding, "build compile dist bundle generate"},
	} {
		for w := range strings.FieldsSeq(k.words) {
			if strings.Contains(name, w) {
				return k.p, true
			}
		}
	}
	return forRunning, true
}

func interpreterPurpose(name string, args []string) (purpose, bool) {
	for i, a := range args {
		switch {
		case a == "-m" && i+1 < len(args):
			switch m := args[i+1]; m {
			case "pytest", "unittest", "nose2", "doctest":
				return forTesting, true
			case "pip":
				return forInstalling, true
			case "mypy", "ruff", "black", "flake8":
				return forLinting, true
			case "alembic":
				return forData, true
			case "build", "compileall", "py_compile":
				return forBuilding, true
			}
			return forRunning, true
		case a == "--test" && name == "node":
			return forTesting, true
		case strings.HasSuffix(a, "manage.py") && i+1 < len(args):
			switch args[i+1] {
			case "test":
				return forTesting, true
			case "migrate", "makemigrations":
				return forData, true
			}
			return forRunning, true
		case strings.HasSuffix(a, "artisan") && i+1 < len(args):
			if args[i+1] == "test" {
				return forTesting, true
			}
			return forData, strings.HasPrefix(args[i+1], "migrate")
		case strings.HasSuffix(a, "phpunit"):
			return forTesting, true
		case !strings.HasPrefix(a, "-"):
			return 0, false
		}
	}
	return 0, false
}

// readsOnly reports whether a database client was given nothing but questions.
func readsOnly(c command) bool {
	s := strings.ToUpper(strings.Join(c.words, " ") + " " + head(c.stdin, 4<<10))
	for _, w := range []string{"INSERT ", "UPDATE ", "DELETE ", "CREATE ", "ALTER ", "DROP ", "TRUNCATE ", "GRANT ", "REINDEX", "VACUUM", "<", " -F ", ".IMPORT", ".READ"} {
		if strings.Contains(s, w) {
			return false
		}
	}
	return true
}

// shown gives a command as a person would write it, short: no path before the
// program, arguments quoted where they must be, a long one cut.
func shown(c command) string {
	parts := make([]string, 0, len(c.words))
	for i, w := range c.words {
		if i > 40 {
			break
		}
		w = oneLine(head(w, 300))
		if w == "" || strings.ContainsAny(w, " |&;<>()*?\"$") && !strings.HasPrefix(w, "./...") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		parts = append(parts, w)
	}
	return clip(strings.Join(parts, " "), 90)
}
