package logs

// Kind says what a warning or an error is about. It is what readers go by: a
// message may be put better, a kind stays.
type Kind string

// The kinds. `cmem doctor` has a sentence for each.
const (
	EventLost        Kind = "event-lost"         // could not be written to the spool
	EventAside       Kind = "event-put-aside"    // waits in the spool and cannot be read
	EventUnreadable  Kind = "event-unreadable"   // is archived and cannot be read any more
	PayloadRefused   Kind = "payload-refused"    // is not what a hook is given
	PayloadCut       Kind = "payload-cut"        // is larger than is kept
	NotRecorded      Kind = "not-recorded"       // the settings do not tell what is excluded
	ContextLate      Kind = "context-late"       // a hook went past its deadline
	ContextFailed    Kind = "context-failed"     // a session began without its memories
	RecallLate       Kind = "recall-late"        // likewise, and nothing was told at an action
	RecallFailed     Kind = "recall-failed"      // nothing was told at an action
	AnswerNotTaken   Kind = "answer-not-taken"   // the host had gone
	HookFailed       Kind = "hook-failed"        // a hook panicked
	HookSlow         Kind = "hook-slow"          // hooks take the long way
	SettingsInvalid  Kind = "settings-invalid"   // something in the settings is wrong
	ProviderFailed   Kind = "provider-failed"    // the local compressor stands in
	ProviderRefused  Kind = "provider-refused"   // the local version stays
	ProviderBack     Kind = "provider-back"      // it answers again: no problem, but the end of one
	ProviderUnusable Kind = "provider-unusable"  // its settings are wrong
	EmbedderFailed   Kind = "embedder-failed"    // searches by meaning go on with what is built in
	EmbedderRefused  Kind = "embedder-refused"   // texts, which are found without it
	EmbedderBack     Kind = "embedder-back"      // it answers again: no problem, but the end of one
	BatchDelayed     Kind = "batch-delayed"      // not even the local compressor could take it
	BatchGivenUp     Kind = "batch-given-up"     // so its events give no observation
	SummaryFailed    Kind = "summary-failed"     // a session has no summary
	StepFailed       Kind = "worker-step-failed" // the worker tries again
	WorkerEnded      Kind = "worker-ended"       // the worker left with an error
	WorkerDied       Kind = "worker-died"        // the one before left without a word
	WorkerNotStarted Kind = "worker-not-started" // the next hook tries again
	WorkerHindered   Kind = "worker-hindered"    // the worker goes on, less well
	StoreNotClosed   Kind = "store-not-closed"   // the store was not closed cleanly
	Crashed          Kind = "crashed"            // a process of cmem died of a fault of its own
)

// Cause says why something went wrong, as far as somebody can do something about it.
type Cause string

// The causes.
const (
	DiskFull     Cause = "disk-full"
	NoPermission Cause = "no-permission"
	ReadOnlyDisk Cause = "read-only"
	DiskFault    Cause = "disk-fault"
	TooManyFiles Cause = "too-many-files"
	Gone         Cause = "gone" // a file or a directory is not there
	Deadline     Cause = "deadline"
	StoreBusy    Cause = "store-busy"
	StoreDamaged Cause = "store-damaged"
	StoreNewer   Cause = "store-newer"
	StoreForeign Cause = "store-foreign"
	KeyRefused   Cause = "key-refused"
	RateLimited  Cause = "rate-limited"
	InputRefused Cause = "input-refused"
	AnswerUnread Cause = "answer-unreadable"
	Unreachable  Cause = "unreachable" // the provider did not answer
)
