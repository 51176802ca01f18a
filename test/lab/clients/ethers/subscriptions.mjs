/** Subscriptions of ethers through the gateway: prints what each client is told, as ../subscriptions.test.ts wants it. */
import { Network, SocketSubscriber, WebSocketProvider } from 'ethers';

const { GATEWAY_WS, GATEWAY_KEY, EMITTER, CHAIN_ID, CLIENTS } = process.env;
const network = Network.from(Number(CHAIN_ID));
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Everything of a subscription: the event `block` has a number alone, and logs that are removed are events of their own. */
class Subscription extends SocketSubscriber {
  constructor(provider, params, onResult) {
    super(provider, params);
    this.onResult = onResult;
  }

  async _emit(_provider, result) {
    this.onResult(result);
  }
}

const subscribed = [];
for (let client = 0; client < Number(CLIENTS); client++) {
  const provider = new WebSocketProvider(`${GATEWAY_WS}/${GATEWAY_KEY}`, network, { staticNetwork: network });
  provider.websocket.onerror = (error) => print({ client, error: String(error) });
  provider.websocket.onclose = () => print({ client, error: 'closed' });
  const send = provider.send.bind(provider);
  provider.send = (method, params) => {
    const answer = send(method, params);
    if (method === 'eth_subscribe') subscribed.push(answer);
    return answer;
  };
  new Subscription(provider, ['newHeads'], ({ number, hash, parentHash }) =>
    print({ client, head: { number: Number(number), hash, parentHash } }),
  ).start();
  new Subscription(provider, ['logs', { address: EMITTER }], ({ blockHash, logIndex, removed }) =>
    print({ client, log: { blockHash, logIndex: Number(logIndex), removed } }),
  ).start();
}
await Promise.all(subscribed);
print({ ready: true });
