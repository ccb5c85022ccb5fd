package memory

// Meaning is what an observation is about, as numbers: its encoding by an embedding
// model. Those of different models cannot be compared.
type Meaning struct {
	ID int64 // of the observation
	// Vector says by its direction what the text is about; nil for a text without words.
	Vector []int8
	// Words are the numbers of the text's words in the model, sorted, each once; nil
	// where a model has no such list.
	Words []uint16
}
