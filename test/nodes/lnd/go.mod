module tillgate/test/nodes/lnd

go 1.24.11

tool github.com/lightningnetwork/lnd/cmd/lnd

require github.com/lightningnetwork/lnd v0.20.1-beta

// A replacement in a required module's file has no effect here, so that lnd's own are repeated.
replace github.com/ulikunitz/xz => github.com/ulikunitz/xz v0.5.11

replace github.com/gogo/protobuf => github.com/gogo/protobuf v1.3.2

replace google.golang.org/protobuf => github.com/lightninglabs/protobuf-go-hex-display v1.33.0-hex-display
