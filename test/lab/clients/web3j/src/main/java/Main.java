import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.web3j.crypto.Credentials;
import org.web3j.crypto.RawTransaction;
import org.web3j.crypto.TransactionEncoder;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.core.BatchResponse;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.methods.response.EthChainId;
import org.web3j.protocol.core.methods.response.EthGetBalance;
import org.web3j.protocol.core.methods.response.EthSendTransaction;
import org.web3j.protocol.http.HttpService;
import org.web3j.protocol.websocket.WebSocketClient;
import org.web3j.protocol.websocket.WebSocketService;
import org.web3j.protocol.websocket.events.NewHead;
import org.web3j.tx.response.PollingTransactionReceiptProcessor;
import org.web3j.utils.Numeric;

/** web3j through the gateway: prints a line for each feature of ../features.ts. */
public class Main {
    private static final String URL = System.getenv("GATEWAY_HTTP");
    private static final String WS_URL = System.getenv("GATEWAY_WS");
    private static final String KEY = System.getenv("GATEWAY_KEY");
    private static final Map<String, String> BEARER = Map.of("Authorization", "Bearer " + KEY);

    public static void main(String[] args) throws Exception {
        String archive = Web3j.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        say("version", archive.replaceAll(".*/core-|\\.jar$", ""));
        overHttp();
        overWebSocket();
        System.exit(0);
    }

    private static void overHttp() throws Exception {
        HttpService service = new HttpService(URL);
        service.addHeaders(BEARER);
        Web3j inHeader = Web3j.build(service);
        say("http-header", chainId(inHeader));
        Web3j inPath = Web3j.build(new HttpService(URL + "/" + KEY));
        say("http-path", chainId(inPath));
        BatchResponse batch = inPath.newBatch()
            .add(inPath.ethChainId())
            .add(inPath.ethGetBalance(System.getenv("RICH"), DefaultBlockParameterName.LATEST))
            .send();
        BigInteger id = ((EthChainId) batch.getResponses().get(0)).getChainId();
        say("http-batch", id + " " + ((EthGetBalance) batch.getResponses().get(1)).getBalance());
        say("transaction", transfer(inHeader, id.longValueExact()));
        restart();
        say("http-restart", chainId(inHeader));
    }

    private static String transfer(Web3j web3, long chainId) throws Exception {
        Credentials credentials = Credentials.create(System.getenv("PRIVATE_KEY"));
        BigInteger nonce = web3.ethGetTransactionCount(credentials.getAddress(), DefaultBlockParameterName.PENDING)
            .send()
            .getTransactionCount();
        BigInteger most = web3.ethGasPrice().send().getGasPrice().multiply(BigInteger.TWO);
        RawTransaction transaction = RawTransaction.createEtherTransaction(
            chainId, nonce, BigInteger.valueOf(21_000), System.getenv("RECEIVER"), BigInteger.ONE, BigInteger.ONE, most);
        byte[] signed = TransactionEncoder.signMessage(transaction, credentials);
        EthSendTransaction sent = web3.ethSendRawTransaction(Numeric.toHexString(signed)).send();
        if (sent.hasError()) throw new IllegalStateException(sent.getError().getMessage());
        return new PollingTransactionReceiptProcessor(web3, 100, 200)
            .waitForTransactionReceipt(sent.getTransactionHash())
            .getTransactionHash();
    }

    private static void overWebSocket() throws Exception {
        WebSocketService inHeader = new WebSocketService(new WebSocketClient(URI.create(WS_URL), BEARER), false);
        inHeader.connect();
        say("ws-header", chainId(Web3j.build(inHeader)));
        inHeader.close();
        WebSocketService inPath = new WebSocketService(WS_URL + "/" + KEY, false);
        inPath.connect();
        Web3j web3 = Web3j.build(inPath);
        say("ws-path", chainId(web3));
        say("subscription", blockAfter(web3, 0));
        long former = restart();
        WebSocketService another = new WebSocketService(WS_URL + "/" + KEY, false);
        another.connect();
        say("ws-restart", blockAfter(Web3j.build(another), former));
    }

    /** The hash of the next block after one. */
    private static String blockAfter(Web3j web3, long former) {
        NewHead head = web3.newHeadsNotifications()
            .map(notification -> notification.getParams().getResult())
            .filter(each -> Numeric.decodeQuantity(each.getNumber()).longValueExact() > former)
            .blockingFirst();
        return head.getHash();
    }

    private static BigInteger chainId(Web3j web3) throws Exception {
        return web3.ethChainId().send().getChainId();
    }

    /** Has the gateway restarted; returns the number of the latest block then. */
    private static long restart() throws Exception {
        try (var reply = new URL(System.getenv("RESTART_URL")).openStream()) {
            return Long.parseLong(new String(reply.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static void say(String feature, Object value) {
        System.out.println(feature + " " + value);
    }
}
