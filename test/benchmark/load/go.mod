module portcullis.io/load

go 1.26
