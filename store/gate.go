package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// SQLite opens a store's file first and the log beside it, by name, later, and it
// removes the log by name when the last who has the store open closes it. If another
// file takes the place in between (see swap), the log is that one's. So whoever opens
// or closes a store passes by a gate, many at the same time, and who puts another
// file in the place shuts it meanwhile. The gate is a lock on the folder, which
// SQLite knows nothing of; on a file system without such locks it stands open.

// standInGate keeps other files from taking the place of the store at path until what
// it gives is closed. The error is ErrBusy when the gate stays shut for busyTimeout.
func standInGate(ctx context.Context, path string) (gate io.Closer, err error) {
	err = retryBusy(ctx, func() error {
		gate, err = openGate(filepath.Dir(path), false)
		return err
	})
	return gate, err
}

// connector opens the connections to a store's file.
type connector struct {
	driver.Connector
	path string
	file fs.FileInfo // the file that it has to be, nil for whichever is there
}

// openDB gives the connections to the file at the absolute path. See dsn for params.
func openDB(path string, file fs.FileInfo, params ...string) (*sql.DB, error) {
	base, err := sqlite.NewConnector(dsn(path, params...))
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{base, path, file}), nil
}

// Connect gives a connection that has its file and its log open.
func (c connector) Connect(ctx context.Context) (conn driver.Conn, err error) {
	gate, err := standInGate(ctx, c.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, gate.Close()) }()
	if err := sameFile(c.path, c.file); err != nil {
		return nil, err
	}
	if conn, err = c.Connector.Connect(ctx); err != nil {
		return nil, err
	}
	if err := readOnce(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// readOnce makes SQLite open what it opens when a connection first reads.
func readOnce(ctx context.Context, conn driver.Conn) error {
	asking, ok := conn.(driver.QueryerContext)
	if !ok {
		return errors.New("the driver cannot be asked")
	}
	rows, err := asking.QueryContext(ctx, "PRAGMA user_version", nil)
	if err != nil {
		return err
	}
	err = rows.Next(make([]driver.Value, 1))
	return errors.Join(err, rows.Close())
}

// sameFile gives ErrReplaced when another file than that, or none, is at path. With
// nil any will do.
func sameFile(path string, file fs.FileInfo) error {
	if file == nil {
		return nil
	}
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(file, now) {
		return ErrReplaced
	}
	return err
}
