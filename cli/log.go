package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"

	"cmem/config"
	"cmem/llm"
	"cmem/logs"
	"cmem/store"
)

// newLog gives the log of the face of cmem that is called by.
func newLog(cfg *config.Config, by string) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.String("log.level"))) // the settings know only levels
	return logs.New(logs.Options{Dir: cfg.Logs(), By: by, Level: level, Tell: tellError})
}

// tellError gives what the log may say of an error, and its cause. No word of a
// payload, of a prompt or of a model's answer may stand there: of errors that can
// quote one only the kind is told.
func tellError(err error) (words string, cause logs.Cause) {
	var (
		failed *llm.Error
		syntax *json.SyntaxError
		kind   *json.UnmarshalTypeError
		newer  *store.NewerSchemaError
		full   *store.NoRoomError
	)
	switch {
	case errors.As(err, &failed):
		return tellProvider(failed)
	case errors.As(err, &syntax):
		return fmt.Sprintf("broken JSON at byte %d", syntax.Offset), ""
	case errors.As(err, &kind):
		return fmt.Sprintf("JSON of a wrong type at byte %d", kind.Offset), ""
	case errors.Is(err, store.ErrBusy):
		return err.Error(), logs.StoreBusy
	case errors.Is(err, store.ErrDamaged):
		return err.Error(), logs.StoreDamaged
	case errors.As(err, &full):
		return err.Error(), logs.DiskFull
	case errors.Is(err, store.ErrForeign):
		return err.Error(), logs.StoreForeign
	case errors.As(err, &newer):
		return err.Error(), logs.StoreNewer
	}
	return err.Error(), logs.CauseOf(err)
}

// tellProvider tells a failed call without the provider's words, which may quote
// what it was asked: the queue of the memory browser shows them.
func tellProvider(e *llm.Error) (words string, cause logs.Cause) {
	switch e.Kind {
	case llm.KindAuth:
		cause = logs.KeyRefused
	case llm.KindRateLimit:
		cause = logs.RateLimited
	case llm.KindRequest:
		cause = logs.InputRefused
	case llm.KindAnswer:
		cause = logs.AnswerUnread
	default:
		cause = logs.Unreachable
	}
	switch {
	case e.Status != 0:
		words = fmt.Sprintf("%s answered %d %s", e.Provider, e.Status, http.StatusText(e.Status))
	case e.Kind == llm.KindAnswer:
		words = e.Provider + " gave an answer that cannot be read"
	case e.Kind == llm.KindTemporary:
		words = e.Provider + " was not reached" + network(e.Err)
	default:
		words = e.Error() // ours: what is missing in the settings, or that the model refused
	}
	return words, cause
}

// network says why a call did not come through, where that names no more than an
// address.
func network(err error) string {
	var (
		op  *net.OpError
		dns *net.DNSError
		out net.Error
	)
	switch {
	case errors.As(err, &dns):
		return ": " + dns.Error()
	case errors.As(err, &op):
		return ": " + op.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &out) && out.Timeout():
		return ": no answer in time"
	}
	return ""
}
