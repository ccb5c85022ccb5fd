package store

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxPayload bounds what one archived event may grow to when it is read: a
// damaged file must not take all memory.
const maxPayload = 1 << 30

// The coders are made when they are first needed: they hold some memory, and a
// hook that reads the store needs neither.
var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPayload))
	})
)

// pack compresses a payload for the archive; an empty one is nil.
func pack(raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	enc, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("compress a payload: %w", err)
	}
	return enc.EncodeAll(raw, nil), nil
}

// unpack gives back what pack was given.
func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	dec, err := decoder()
	if err != nil {
		return nil, fmt.Errorf("decompress a payload: %w", err)
	}
	raw, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("decompress a payload: %w", err)
	}
	return raw, nil
}
