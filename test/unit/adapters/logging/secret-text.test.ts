import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSecretName, scrubText } from '../../../../adapters/logging/secret-text.ts';

/** Each text holds this in the place of the secret part, where the form allows it. */
const CANARY = 'Zq7CanaryXw9KpLmNbVcRtYu';
const BASE58 = '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ';
const XPRV =
  'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';
const SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

const SECRETS: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  'an API key': [`key tak_${CANARY}, refused`, CANARY],
  'an API token': [`tat_${CANARY}`, CANARY],
  'a signing secret': [`(tss_${CANARY})`, CANARY],
  'callback credentials': [`tck_${CANARY} tct_${CANARY}`, CANARY],
  'a callback secret': [`whsec_${CANARY}+/=`, CANARY],
  'a gateway key in a path': [`POST /tgk_${CANARY}/wallet`, CANARY],
  'a gateway key in quotes': [`{"a":"tgk_${CANARY}"}`, CANARY],
  'the token of a session': [`session tms_${CANARY} ended`, CANARY],
  'an access token': [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${CANARY}`, CANARY],
  'half an access token': [`at eyJ${CANARY}`, CANARY],
  'an Authorization header': [`authorization: Bearer ${CANARY}`, CANARY],
  'a bearer token in a sentence': [`sent Bearer ${CANARY} twice`, CANARY],
  'basic credentials': [`Basic ${CANARY}=`, CANARY],
  'an API-Key header': [`API-Key: ${CANARY}`, CANARY],
  'a cookie header': [`set-cookie: ${CANARY}; Path=/`, CANARY],
  'URL credentials': [`https://user:${CANARY}@node.example/`, CANARY],
  'URL credentials with careless characters': [`postgres://user:a@b/${CANARY}@db.example/till`, CANARY],
  'a key in a URL path': [`URL: https://mainnet.node.example/v3/${CANARY}`, CANARY],
  'a key in a URL query': [`wss://node.example?apikey=${CANARY}`, CANARY],
  'a key in a URL fragment': [`https://a.example#${CANARY}`, CANARY],
  'a key in a relative query': [`GET /x?a=1&key=${CANARY} failed`, CANARY],
  "a payer's page": [`GET /checkout/${CANARY}/state`, CANARY],
  'a password in a sentence': [`password=${CANARY} is wrong`, CANARY],
  'a password in JSON': [`{"password":"${CANARY}"}`, CANARY],
  'a password in JSON in JSON': [`"{\\"password\\":\\"${CANARY}\\"}"`, CANARY],
  'a verify code': ['verify_code: 123456', '123456'],
  'an extended private key': [`derived from ${XPRV}`, XPRV.slice(4)],
  'a private key in import format': [`imported ${BASE58}.`, BASE58],
  'a private key in armour': [`-----BEGIN EC PRIVATE KEY-----\n${CANARY}\n-----END EC PRIVATE KEY-----`, CANARY],
  'a private key in armour, cut off': [`-----BEGIN PRIVATE KEY-----\n${CANARY}`, CANARY],
  'a macaroon': [`0201036c6e6402f801030a10${'ab12'.repeat(20)}`, 'ab12'],
  '32 bytes in base64': ['the key AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= is weak', 'AAECAwQFBgcICQoL'],
  'a seed phrase': [`phrase: ${SEED}!`, 'sausage'],
  'a seed phrase over several lines': [SEED.replaceAll(' ', '\n'), 'sausage'],
};

describe('fault 73: secrets in text', () => {
  for (const [name, [text, secret]] of Object.entries(SECRETS)) {
    test(`${name} is replaced`, () => {
      assert.ok(text.includes(secret));
      const clean = scrubText(text);
      assert.ok(!clean.includes(secret), clean);
    });
  }

  test('a secret at the end of a text that is cut does not stay as half a secret', () => {
    const clean = scrubText(`${'word '.repeat(1637)}tak_${CANARY}`);
    assert.doesNotMatch(clean, /tak_Z/);
    assert.ok(clean.length < 8300);
    assert.ok(scrubText('x'.repeat(100_000)).length < 8300);
  });

  test('hostile text takes no time to speak of', () => {
    const texts = [
      'a'.repeat(50_000),
      'abc '.repeat(20_000),
      '://'.repeat(20_000),
      'a://@'.repeat(10_000),
      'eyJ'.repeat(20_000),
      'password'.repeat(9000),
      'key= '.repeat(9000),
      '-----BEGIN PRIVATE KEY-----'.repeat(900),
    ];
    const start = process.cpuUsage();
    for (const text of texts) scrubText(text);
    assert.ok(process.cpuUsage(start).user < 1_000_000);
  });
});

describe('what is no secret stays readable', () => {
  const unchanged = [
    'order.created',
    'SUCCESS',
    '1600000000000000001',
    '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
    `0x${'ab'.repeat(32)}`,
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    'USDT-ERC20',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'The pair ETH/USDT is not supported; see the list of crypto currencies.',
    'listening on http://localhost:8080',
    'listening on http://localhost:8080/',
    '2026-03-01T12:00:00Z',
    'GET /api/v2/order/?page=1&size=10',
    'the token expired, a new key is needed',
    'at run (file:///srv/app/node_modules/x/index.js:1:2)',
    'No price was found for the symbol, so the order was not made and the payer sees a message.',
  ];
  for (const text of unchanged) {
    test(text, () => assert.equal(scrubText(text), text));
  }

  test('of a URL the scheme and the host', () => {
    assert.equal(
      scrubText('fetch of https://node.example:8545/v3/abc?x=1 failed'),
      'fetch of https://node.example:8545/… failed',
    );
  });
});

test('names of secrets are known in every way of writing them', () => {
  const secret = [
    'password',
    'newPassword',
    'api_key',
    'API-Key',
    'apiKey',
    'X-Token',
    'access_token',
    'signingSecret',
    'authorization',
    'Set-Cookie',
    'mnemonic',
    'seed',
    'privateKey',
    'masterKey',
    'TILLGATE_MASTER_KEY',
    'sealed',
    'signature',
    'checkoutToken',
    'verify_code',
    'totp',
    'token',
    'key',
    'body',
    'headers',
  ];
  const plain = [
    'orderId',
    'credentialId',
    'keyId',
    'token_count',
    'code',
    'status',
    'address',
    'txHash',
    'message',
    'chain',
    'idempotent',
    'monkey',
    'tokens',
    'author',
  ];
  assert.deepEqual(
    secret.filter((name) => !isSecretName(name)),
    [],
  );
  assert.deepEqual(plain.filter(isSecretName), []);
});
