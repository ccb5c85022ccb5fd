package cli

import (
	"context"
	"time"

	"cmem/config"
	"cmem/store"
)

// doubledLately is how far doctor looks back for events that came twice: hooks that
// were set right since are not worth a word for long.
const doubledLately = 24 * time.Hour

// diagnoseDoubled says whether the hooks are registered twice, as the events tell it.
// Nothing is stored twice by that, but each hook costs the assistant its time twice.
// What is wrong with the store itself is told elsewhere.
func (a *App) diagnoseDoubled(ctx context.Context, cfg *config.Config) []diagnosis {
	s, err := store.OpenReadOnly(ctx, cfg.DB())
	if err != nil {
		return nil
	}
	defer s.Close() //nolint:errcheck // opened for reading
	n, err := s.Doubled(ctx, a.Now().Add(-doubledLately))
	if err != nil || n == 0 {
		return nil
	}
	return []diagnosis{{
		Name:   "hooks",
		Found:  "registered twice: " + count(n, "event") + " of the last day came twice, and each was stored once",
		Advice: "remove one of the two: the plugin, or with `cmem uninstall` what is in the settings",
	}}
}
