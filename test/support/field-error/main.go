// Prints field errors as Kubernetes does: a JSON object for each JSON object of the standard input.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var types = map[string]field.ErrorType{
	"Invalid":      field.ErrorTypeInvalid,
	"NotSupported": field.ErrorTypeNotSupported,
	"Required":     field.ErrorTypeRequired,
	"Forbidden":    field.ErrorTypeForbidden,
	"Duplicate":    field.ErrorTypeDuplicate,
	"NotFound":     field.ErrorTypeNotFound,
	"TooLong":      field.ErrorTypeTooLong,
	"TooMany":      field.ErrorTypeTooMany,
}

type request struct {
	Type  string
	Field string
	// A string or a whole number; omitted if it is unknown.
	BadValue any
	Detail   string
	// The values of field.NotSupported, in place of the detail.
	Supported []string
}

type answer struct {
	Reason string `json:"reason"`
	Body   string `json:"body"`
}

func errorOf(asked request) (*field.Error, error) {
	kind, known := types[asked.Type]
	if !known {
		return nil, fmt.Errorf("unknown type %q", asked.Type)
	}
	value := asked.BadValue
	switch typed := value.(type) {
	case nil:
		value = field.OmitValueType{}
	case json.Number:
		number, err := typed.Int64()
		if err != nil {
			return nil, err
		}
		value = number
	}
	if asked.Supported != nil {
		return field.NotSupported(nil, value, asked.Supported), nil
	}
	return &field.Error{Type: kind, Field: asked.Field, BadValue: value, Detail: asked.Detail}, nil
}

func run(input io.Reader, output io.Writer) error {
	decoder := json.NewDecoder(input)
	decoder.UseNumber()
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for {
		var asked request
		if err := decoder.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		made, err := errorOf(asked)
		if err != nil {
			return err
		}
		if err := encoder.Encode(answer{Reason: string(made.Type), Body: made.ErrorBody()}); err != nil {
			return err
		}
	}
}

func main() {
	output := bufio.NewWriter(os.Stdout)
	err := run(os.Stdin, output)
	if err = errors.Join(err, output.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
