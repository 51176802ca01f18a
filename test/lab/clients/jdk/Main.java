import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The JDK's own HTTP client, which offers HTTP/2 in its requests, through the gateway: prints a line for each feature of
 * ../features.ts.
 */
public class Main {
    private static final String URL = System.getenv("GATEWAY_HTTP");
    private static final String WS_URL = System.getenv("GATEWAY_WS");
    private static final String KEY = System.getenv("GATEWAY_KEY");
    private static final Pattern RESULT = Pattern.compile("\"result\":\"([^\"]*)\"");
    private static final Pattern HASH = Pattern.compile("\"hash\":\"([^\"]*)\"");
    private static final Pattern NUMBER = Pattern.compile("\"number\":\"0x([^\"]*)\"");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    public static void main(String[] args) throws Exception {
        say("version", Runtime.version().toString());
        overHttp();
        overWebSocket();
        System.exit(0);
    }

    private static void overHttp() throws Exception {
        say("http-header", results(ask(null, call("eth_chainId", ""))));
        say("http-path", results(ask(KEY, call("eth_chainId", ""))));
        String balance = call("eth_getBalance", "\"" + System.getenv("RICH") + "\",\"latest\"");
        say("http-batch", results(ask(null, "[" + call("eth_chainId", "") + "," + balance + "]")));
        String raw = "\"" + System.getenv("RAW_TRANSACTION") + "\"";
        String hash = results(ask(null, call("eth_sendRawTransaction", raw)));
        while (!ask(null, call("eth_getTransactionReceipt", "\"" + hash + "\"")).contains("\"status\":\"0x1\"")) Thread.sleep(100);
        say("transaction", hash);
        restart();
        say("http-restart", results(ask(null, call("eth_chainId", ""))));
    }

    private static void overWebSocket() throws Exception {
        try (Connection inHeader = new Connection(WS_URL, KEY)) {
            say("ws-header", results(inHeader.ask(call("eth_chainId", ""))));
        }
        try (Connection inPath = new Connection(WS_URL + "/" + KEY, null)) {
            say("ws-path", results(inPath.ask(call("eth_chainId", ""))));
            say("subscription", inPath.blockAfter(0));
            long former = restart();
            try (Connection another = new Connection(WS_URL + "/" + KEY, null)) {
                say("ws-restart", another.blockAfter(former));
            }
        }
    }

    /** The reply to a body; the key is in the header where it is not in the path. */
    private static String ask(String keyInPath, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(keyInPath == null ? URL : URL + "/" + keyInPath))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
        if (keyInPath == null) request.header("Authorization", "Bearer " + KEY);
        return HTTP.send(request.build(), BodyHandlers.ofString()).body();
    }

    /** Has the gateway restarted; returns the number of the latest block then. */
    private static long restart() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("RESTART_URL"))).build();
        return Long.parseLong(HTTP.send(request, BodyHandlers.ofString()).body());
    }

    private static String call(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":[" + params + "]}";
    }

    private static String results(String reply) {
        return RESULT.matcher(reply).results().map((MatchResult each) -> each.group(1)).collect(Collectors.joining(" "));
    }

    private static void say(String feature, String value) {
        System.out.println(feature + " " + value);
    }

    /** A WebSocket, and the messages that it received. */
    private static class Connection implements WebSocket.Listener, AutoCloseable {
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final StringBuilder unfinished = new StringBuilder();
        private final WebSocket socket;

        Connection(String url, String keyInHeader) {
            WebSocket.Builder builder = HTTP.newWebSocketBuilder();
            if (keyInHeader != null) builder.header("Authorization", "Bearer " + keyInHeader);
            socket = builder.buildAsync(URI.create(url), this).join();
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
            unfinished.append(text);
            if (last) {
                messages.add(unfinished.toString());
                unfinished.setLength(0);
            }
            from.request(1);
            return null;
        }

        String ask(String message) throws Exception {
            socket.sendText(message, true).join();
            return next();
        }

        /** The hash of the next block after one. */
        String blockAfter(long former) throws Exception {
            ask(call("eth_subscribe", "\"newHeads\""));
            for (;;) {
                String head = next();
                if (Long.parseLong(first(NUMBER, head), 16) > former) return first(HASH, head);
            }
        }

        private String next() throws Exception {
            String message = messages.poll(20, TimeUnit.SECONDS);
            if (message == null) throw new IllegalStateException("no message came");
            return message;
        }

        private static String first(Pattern pattern, String text) {
            return pattern.matcher(text).results().findFirst().orElseThrow().group(1);
        }

        @Override
        public void close() {
            socket.abort();
        }
    }
}
