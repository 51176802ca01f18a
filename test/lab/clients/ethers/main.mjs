/** ethers through the gateway: prints a line for each feature of ../features.ts. */
import { FetchRequest, JsonRpcProvider, Network, Wallet, WebSocketProvider, version } from 'ethers';
import { WebSocket } from 'ws';

const { GATEWAY_HTTP, GATEWAY_WS, GATEWAY_KEY, CHAIN_ID, PRIVATE_KEY, RICH, RECEIVER, RESTART_URL } = process.env;
const network = Network.from(Number(CHAIN_ID));
const say = (feature, ...values) => console.log([feature, ...values].join(' '));
const restart = async () => Number(await (await fetch(RESTART_URL)).text());
const chainId = async (provider) => BigInt(await provider.send('eth_chainId', []));

async function overHttp() {
  const request = new FetchRequest(GATEWAY_HTTP);
  request.setHeader('Authorization', `Bearer ${GATEWAY_KEY}`);
  const inHeader = new JsonRpcProvider(request, network, {
    staticNetwork: network,
    batchMaxCount: 1,
    pollingInterval: 200,
  });
  say('http-header', await chainId(inHeader));
  const inPath = new JsonRpcProvider(`${GATEWAY_HTTP}/${GATEWAY_KEY}`, network, { staticNetwork: network });
  say('http-path', await chainId(inPath));
  // ethers sends what is asked in the same moment as one batch.
  say('http-batch', ...(await Promise.all([chainId(inPath), inPath.getBalance(RICH)])));
  const sent = await new Wallet(PRIVATE_KEY, inHeader).sendTransaction({ to: RECEIVER, value: 1n });
  say('transaction', (await sent.wait()).hash);
  await restart();
  say('http-restart', await chainId(inHeader));
}

const connect = (url, options) => {
  const socket = new WebSocket(url, options);
  // ethers listens to the opening and to messages only.
  socket.onerror = () => undefined;
  return new WebSocketProvider(socket, network, { staticNetwork: network });
};

/** The hash of the next block after one. */
const blockAfter = (provider, former) =>
  new Promise((resolve, reject) => {
    provider.on('block', (number) => {
      if (number <= former) return;
      provider.off('block');
      provider.getBlock(number).then(({ hash }) => resolve(hash), reject);
    });
  });

async function overWebSocket() {
  const inHeader = connect(GATEWAY_WS, { headers: { Authorization: `Bearer ${GATEWAY_KEY}` } });
  say('ws-header', await chainId(inHeader));
  await inHeader.destroy();
  const inPath = connect(`${GATEWAY_WS}/${GATEWAY_KEY}`);
  say('ws-path', await chainId(inPath));
  say('subscription', await blockAfter(inPath, 0));
  const former = await restart();
  say('ws-restart', await blockAfter(connect(`${GATEWAY_WS}/${GATEWAY_KEY}`), former));
}

say('version', version);
await overHttp();
await overWebSocket();
process.exit();
