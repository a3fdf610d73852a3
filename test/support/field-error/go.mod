module portcullis.io/field-error

go 1.26.0

require k8s.io/apimachinery v0.36.3
