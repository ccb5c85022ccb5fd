package cli

import "cmem/logs"

// telling puts a kind of happening into words: one for once, many with a place
// for the number, and what to do unless the cause says it better.
type telling struct{ one, many, advice string }

// tellings has every kind of logs that is a problem.
var tellings = map[logs.Kind]telling{
	logs.EventLost:        {"an event was lost", "%s events were lost", "run `cmem doctor` once more when {data} can be written"},
	logs.EventAside:       {"an event that cannot be read was put aside", "%s events that cannot be read were put aside", "they are kept in {folder} and do no harm; delete them when you have looked"},
	logs.EventUnreadable:  {"an archived event cannot be read any more", "%s times an archived event could not be read", "its observation stays; only what would be made anew from it is missing"},
	logs.PayloadRefused:   {"a hook call could not be read", "%s hook calls could not be read", "if the assistant was updated, update cmem; otherwise look who else calls `cmem hook`"},
	logs.PayloadCut:       {"an event was too large and its end was left out", "%s events were too large and their ends were left out", ""},
	logs.NotRecorded:      {"an event was not recorded, since it could not be told whether it may be", "%s events were not recorded, since it could not be told whether they may be", "the settings or the data directory are to blame: see what is said of them above; {settings} has what you excluded"},
	logs.ContextLate:      {"a session began without its memories: the hook's deadline was reached", "%s sessions began without their memories: the hook's deadline was reached", "if it happens often, raise it: `cmem config set hook.deadline 1s`"},
	logs.ContextFailed:    {"a session began without its memories", "%s sessions began without their memories", "`cmem context` tries the same and says what is wrong"},
	logs.RecallLate:       {"what is remembered of a file, an error or a prompt was not told: the hook's deadline was reached", "%s times what is remembered of a file, an error or a prompt was not told: the hook's deadline was reached", "if it happens often, raise it: `cmem config set hook.deadline 1s`"},
	logs.RecallFailed:     {"what is remembered of a file, an error or a prompt could not be told", "%s times what is remembered of a file, an error or a prompt could not be told", "`cmem search` looks in the same place and says what is wrong; look at the owner and the mode of {data}, too"},
	logs.AnswerNotTaken:   {"the assistant did not wait for a hook's answer", "%s times the assistant did not wait for a hook's answer", "its timeout may be too short: `cmem install` writes the entries anew"},
	logs.HookFailed:       {"a hook failed of a fault in cmem", "%s hooks failed of a fault in cmem", "update cmem; if it stays, report it with what `cmem logs --level error` shows"},
	logs.HookSlow:         {"hooks took the slow way: {data} could not be written", "%s hooks took the slow way: {data} could not be written", "look at the owner and the mode of {data}"},
	logs.SettingsInvalid:  {"a hook found something wrong in the settings", "%s hooks found something wrong in the settings", "`cmem config list` says what; correct {settings}"},
	logs.ProviderFailed:   {"the provider failed and the local compressor stood in for it", "the provider failed and the local compressor stood in for it, %s times", "nothing is lost: the worker asks it again by itself"},
	logs.ProviderRefused:  {"the provider refuses a batch, which keeps its local version", "the provider refuses %s batches, which keep their local version", "the queue of the memory browser shows what it answered"},
	logs.ProviderUnusable: {"the provider cannot be used as it is set; the local compressor works for it", "%s workers found a provider that cannot be used as it is set; the local compressor works for it", "`cmem config list` shows its settings; `cmem config set provider local` does without it"},
	logs.EmbedderFailed:   {"the embedder could not be asked; searches went on with the built-in table", "the embedder could not be asked %s times; searches went on with the built-in table", "see what is said of searching by meaning above"},
	logs.EmbedderRefused:  {"the embedder refused texts, which are found without it", "the embedder refused texts %s times; they are found without it", "they are tried again after a day"},
	logs.BatchDelayed:     {"a batch could not be compressed and is tried again", "%s times a batch could not be compressed; it is tried again", "its events are safe; report it with what `cmem logs --level error` shows"},
	logs.BatchGivenUp:     {"a batch was given up: its events are kept, without an observation", "%s batches were given up: their events are kept, without an observation", "report it with what `cmem logs --level error` shows"},
	logs.SummaryFailed:    {"a session got no summary", "%s times a session got no summary", "report it with what `cmem logs --level error` shows"},
	logs.StepFailed:       {"the worker failed and tried again", "the worker failed and tried again, %s times", "what waits stays in the spool; `cmem status` shows whether it goes down"},
	logs.WorkerEnded:      {"the worker left with an error", "the worker left with an error, %s times", "what waits stays in the spool; `cmem worker run` tries now and says what is wrong"},
	logs.WorkerDied:       {"the worker died in the middle of its work: killed, out of memory or switched off", "the worker died in the middle of its work %s times: killed, out of memory or switched off", "nothing is lost by it; if it comes again, look at what the system's log says about cmem"},
	logs.WorkerNotStarted: {"the worker could not be started", "the worker could not be started, %s times", "the next hook tries again; `cmem worker run` tries now and says what is wrong"},
	logs.WorkerHindered:   {"the worker was hindered and went on", "the worker was hindered and went on, %s times", ""},
	logs.StoreNotClosed:   {"the store was not closed cleanly", "the store was not closed cleanly, %s times", "nothing is lost by it; `cmem doctor` checks the store above"},
	logs.Crashed:          {"cmem crashed in the background", "cmem crashed in the background %s times", "nothing that a hook took in is lost; update cmem; if it stays, report it with what `cmem logs --level error` shows"},
}

// reason puts a cause into words, after "because", and says what to do about it.
type reason struct{ because, advice string }

// causes has every cause of logs.
var causes = map[logs.Cause]reason{
	logs.DiskFull:     {"the disk is full", "make room on the disk of {data}"},
	logs.NoPermission: {"this is not permitted", "look at the owner and the mode of {data} and what is in it"},
	logs.ReadOnlyDisk: {"the disk cannot be written", "look why the disk of {data} is mounted read-only"},
	logs.DiskFault:    {"the disk has a fault", "look at the disk of {data} and copy it while it can be read: `cmem backup`"},
	logs.TooManyFiles: {"too many files are open", "close programs, or raise the limit of open files"},
	logs.Gone:         {"a file or folder is not there", ""},
	logs.Deadline:     {"it took too long", ""},
	logs.StoreBusy:    {"another program held the store", "see who holds it: a program that has {data}/cmem.db open and writes"},
	logs.StoreDamaged: {"the store is damaged", "`cmem doctor --fix` saves what can be read; hooks keep their events in the spool meanwhile"},
	logs.StoreNewer:   {"a newer cmem wrote the store", "update cmem; hooks keep their events in the spool meanwhile"},
	logs.StoreForeign: {"the store's file belongs to another program", "move {data}/cmem.db away, or set another data directory"},
	logs.KeyRefused:   {"it does not accept the key, the model or the address", "set them right: `cmem config set {provider}.api_key …`, {provider}.model; `cmem config set provider local` does without"},
	logs.RateLimited:  {"it limits the number of calls", "the worker waits as long as it asks for; a larger plan, another model or `cmem config set provider local` ends it"},
	logs.InputRefused: {"it refuses the input", ""},
	logs.AnswerUnread: {"its answer cannot be read", "another model may do better: `cmem config set {provider}.model …`"},
	logs.Unreachable:  {"it cannot be reached", "look at the network and, if it is set, {provider}.base_url; the worker asks again by itself"},
}
