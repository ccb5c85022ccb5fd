package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"cmem/store"
)

func (a *App) backupCommand() *cobra.Command {
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Copy the store into a file, while it is in use",
		Long: `Writes a copy of the whole store: to FILE, or to a file named by the time in the
folder backups of the data directory. The copy is an SQLite file that only you can
read; it stands under its name when it is whole. "cmem restore" brings it back.

Before each change of the store's schema a backup is made by itself; of those the
last three are kept. Your own are never removed.`,
		Args: atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			file := ""
			if len(args) == 1 {
				file = args[0]
			}
			b, err := store.MakeBackup(cmd.Context(), cfg.DB(), file, force)
			switch {
			case errors.Is(err, fs.ErrExist):
				return fmt.Errorf("%s exists; --force replaces it", file)
			case err != nil:
				return advised(err)
			case asJSON:
				return a.printJSON(b)
			}
			a.say("Wrote a copy of the store, %s, to %s.", bytesText(b.Bytes), a.shortPath(b.Path))
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it exists")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// advised adds to an error of the store what to do about damage.
func advised(err error) error {
	if errors.Is(err, store.ErrDamaged) {
		return fmt.Errorf("%w; `cmem doctor --fix` saves what can be read", err)
	}
	return err
}

// atMostOneFile refuses a second argument.
func atMostOneFile(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s takes one FILE, but was given %d arguments", cmd.CommandPath(), len(args))}
	}
	return nil
}
