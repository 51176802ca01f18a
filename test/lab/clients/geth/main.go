// Command geth uses go-ethereum's rpc and ethclient packages through the gateway: prints a line for each feature of
// ../features.ts.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

var (
	url   = os.Getenv("GATEWAY_HTTP")
	wsURL = os.Getenv("GATEWAY_WS")
	key   = os.Getenv("GATEWAY_KEY")
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	say("version", version())
	overHTTP(ctx)
	overWebSocket(ctx)
}

func overHTTP(ctx context.Context) {
	inHeader := dial(ctx, url, rpc.WithHeader("Authorization", "Bearer "+key))
	say("http-header", chainID(ctx, inHeader))
	inPath := dial(ctx, url+"/"+key)
	say("http-path", chainID(ctx, inPath))
	var id, balance hexutil.Big
	batch := []rpc.BatchElem{
		{Method: "eth_chainId", Result: &id},
		{Method: "eth_getBalance", Args: []any{os.Getenv("RICH"), "latest"}, Result: &balance},
	}
	must(inPath.BatchCallContext(ctx, batch))
	for _, each := range batch {
		must(each.Error)
	}
	say("http-batch", id.ToInt(), balance.ToInt())
	say("transaction", transfer(ctx, ethclient.NewClient(inHeader)))
	restart()
	say("http-restart", chainID(ctx, inHeader))
}

func transfer(ctx context.Context, client *ethclient.Client) string {
	private := try(crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("PRIVATE_KEY"), "0x")))
	id := try(client.ChainID(ctx))
	to := common.HexToAddress(os.Getenv("RECEIVER"))
	signed := try(types.SignNewTx(private, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID:   id,
		Nonce:     try(client.PendingNonceAt(ctx, crypto.PubkeyToAddress(private.PublicKey))),
		GasTipCap: big.NewInt(1),
		GasFeeCap: new(big.Int).Mul(try(client.SuggestGasPrice(ctx)), big.NewInt(2)),
		Gas:       21_000,
		To:        &to,
		Value:     big.NewInt(1),
	}))
	must(client.SendTransaction(ctx, signed))
	for {
		receipt, err := client.TransactionReceipt(ctx, signed.Hash())
		if err == nil {
			return receipt.TxHash.Hex()
		}
		must(ctx.Err())
		time.Sleep(100 * time.Millisecond)
	}
}

func overWebSocket(ctx context.Context) {
	inHeader := dial(ctx, wsURL, rpc.WithHeader("Authorization", "Bearer "+key))
	say("ws-header", chainID(ctx, inHeader))
	inHeader.Close()
	connection := dial(ctx, wsURL+"/"+key)
	say("ws-path", chainID(ctx, connection))
	client := ethclient.NewClient(connection)
	heads := make(chan *types.Header)
	subscription := try(client.SubscribeNewHead(ctx, heads))
	say("subscription", (<-heads).Hash())
	former := restart()
	// The subscription ends with its connection; the same client connects again for the next one.
	for ended := false; !ended; {
		select {
		case <-heads:
		case <-subscription.Err():
			ended = true
		}
	}
	try(client.SubscribeNewHead(ctx, heads))
	for head := range heads {
		if head.Number.Cmp(former) > 0 {
			say("ws-restart", head.Hash())
			return
		}
	}
}

func dial(ctx context.Context, url string, options ...rpc.ClientOption) *rpc.Client {
	return try(rpc.DialOptions(ctx, url, options...))
}

func chainID(ctx context.Context, client *rpc.Client) *big.Int {
	return try(ethclient.NewClient(client).ChainID(ctx))
}

// restart has the gateway restarted; returns the number of the latest block then.
func restart() *big.Int {
	reply := try(http.Get(os.Getenv("RESTART_URL")))
	defer reply.Body.Close()
	return big.NewInt(try(strconv.ParseInt(string(try(io.ReadAll(reply.Body))), 10, 64)))
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, each := range info.Deps {
		if each.Path == "github.com/ethereum/go-ethereum" {
			return each.Version
		}
	}
	return ""
}

func say(feature string, values ...any) {
	fmt.Println(append([]any{feature}, values...)...)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func try[T any](value T, err error) T {
	must(err)
	return value
}
