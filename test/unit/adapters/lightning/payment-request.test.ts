import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPaymentRequest } from '../../../../adapters/lightning/index.ts';
import { isTillgateError } from '../../../../core/index.ts';
import { encodeBolt11, publicKeyOf } from '../../../support/lightning/bolt11.ts';
import type { Bolt11Fields } from '../../../support/lightning/bolt11.ts';

/** The key that signs the examples of BOLT 11, and the node that they are to be paid to. */
const KEY = Buffer.from('e126f68f7eafcc8b74f54d269fe206be715000f94dac067d1c04a8ca3b2db734', 'hex');
const PAYEE = '03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad';
const HASH = '0001020304050607080900010203040506070809000102030405060708090102';
const AT = 1_496_314_658_000;
const HEAD = 'pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq';
const COFFEE_BEANS =
  'lnbc25m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5vdhkven9v5sxyetpdeessp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygs9q5sqqqqqqqqqqqqqqqpqsq67gye39hfg3zd8rgc80k32tvy9xk2xunwm5lzexnvpx6fd77en8qaq424dxgt56cag2dpt359k3ssyhetktkpqh24jqnjyw6uqd08sgptq44qu';
const zeros = (words: number): string => 'q'.repeat(words);
/** Fields of wrong lengths and of an unknown kind: hashes of 51 and 53 words, and so on. */
const PASSED_OVER = `2qrqqqfppn${zeros(32)}${['pp', 'hp', 'sp'].map((tag) => `${tag}n${zeros(51)}${tag}4${zeros(53)}`).join('')}np5${zeros(52)}npk${zeros(54)}`;
const IGNORED = `${COFFEE_BEANS.slice(0, COFFEE_BEANS.indexOf('67gye39'))}${PASSED_OVER}2jxxfsnucm4jf4zwtznpaxphce606fvhvje5x7d4gw7n73994hgs7nteqvenq8a4ml8aqtchv5d9pf7l558889hp4yyrqv6a7zpq9fgpskqhza`;
const SECRET = '11'.repeat(32);

/** The valid examples of BOLT 11: what each says, as far as the till reads it. */
const VALID: readonly (readonly [
  text: string,
  network: string,
  says: {
    readonly msat: bigint | null;
    readonly description: string;
    readonly seconds: number;
    readonly secret?: string;
    readonly hash?: string;
    readonly at?: number;
  },
])[] = [
  [
    `lnbc1${HEAD}dpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w`,
    'mainnet',
    { msat: null, description: 'Please consider supporting this project', seconds: 3600 },
  ],
  [
    `lnbc2500u1${HEAD}dq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp`,
    'mainnet',
    { msat: 250_000_000n, description: '1 cup coffee', seconds: 60 },
  ],
  [
    `lnbc2500u1${HEAD}dpquwpc4curk03c9wlrswe78q4eyqc7d8d0xqzpuyk0sg5g70me25alkluzd2x62aysf2pyy8edtjeevuv4p2d5p76r4zkmneet7uvyakky2zr4cusd45tftc9c5fh0nnqpnl2jfll544esqchsrny`,
    'mainnet',
    { msat: 250_000_000n, description: 'ナンセンス 1杯', seconds: 60 },
  ],
  [
    `lnbc20m1${HEAD}hp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqscc6gd6ql3jrc5yzme8v4ntcewwz5cnw92tz0pc8qcuufvq7khhr8wpald05e92xw006sq94mg8v2ndf4sefvf9sygkshp5zfem29trqq2yxxz7`,
    'mainnet',
    { msat: 2_000_000_000n, description: '', seconds: 3600 },
  ],
  [
    'lntb20m1pvjluezhp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqfpp3x9et2e20v6pu37c5d9vax37wxq72un98kmzzhznpurw9sgl2v0nklu2g4d0keph5t7tj9tcqd8rexnd07ux4uv2cjvcqwaxgj7v4uwn5wmypjd5n69z2xm3xgksg28nwht7f6zspwp3f9t',
    'testnet',
    { msat: 2_000_000_000n, description: '', seconds: 3600 },
  ],
  [
    `lnbc20m1${HEAD}hp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqsfpp3qjmp7lwpagxun9pygexvgpjdc4jdj85fr9yq20q82gphp2nflc7jtzrcazrra7wwgzxqc8u7754cdlpfrmccae92qgzqvzq2ps8pqqqqqqpqqqqq9qqqvpeuqafqxu92d8lr6fvg0r5gv0heeeqgcrqlnm6jhphu9y00rrhy4grqszsvpcgpy9qqqqqqgqqqqq7qqzqj9n4evl6mr5aj9f58zp6fyjzup6ywn3x6sk8akg5v4tgn2q8g4fhx05wf6juaxu9760yp46454gpg5mtzgerlzezqcqvjnhjh8z3g2qqdhhwkj`,
    'mainnet',
    { msat: 2_000_000_000n, description: '', seconds: 3600 },
  ],
  [
    'lnbc9678785340p1pwmna7lpp5gc3xfm08u9qy06djf8dfflhugl6p7lgza6dsjxq454gxhj9t7a0sd8dgfkx7cmtwd68yetpd5s9xar0wfjn5gpc8qhrsdfq24f5ggrxdaezqsnvda3kkum5wfjkzmfqf3jkgem9wgsyuctwdus9xgrcyqcjcgpzgfskx6eqf9hzqnteypzxz7fzypfhg6trddjhygrcyqezcgpzfysywmm5ypxxjemgw3hxjmn8yptk7untd9hxwg3q2d6xjcmtv4ezq7pqxgsxzmnyyqcjqmt0wfjjq6t5v4khxxqyjw5qcqp2rzjq0gxwkzc8w6323m55m4jyxcjwmy7stt9hwkwe2qxmy8zpsgg7jcuwz87fcqqeuqqqyqqqqlgqqqqn3qq9qn07ytgrxxzad9hc4xt3mawjjt8znfv8xzscs7007v9gh9j569lencxa8xeujzkxs0uamak9aln6ez02uunw6rd2ht2sqe4hz8thcdagpleym0j',
    'mainnet',
    {
      msat: 967_878_534n,
      description:
        'Blockstream Store: 88.85 USD for Blockstream Ledger Nano S x 1, "Back In My Day" Sticker x 2, "I Got Lightning Working" Sticker x 2 and 1 more items',
      seconds: 604_800,
      hash: '462264ede7e14047e9b249da94fefc47f41f7d02ee9b091815a5506bc8abf75f',
      at: 1_572_468_703_000,
    },
  ],
  [COFFEE_BEANS, 'mainnet', { msat: 2_500_000_000n, description: 'coffee beans', seconds: 3600, secret: SECRET }],
  [
    COFFEE_BEANS.toUpperCase(),
    'mainnet',
    { msat: 2_500_000_000n, description: 'coffee beans', seconds: 3600, secret: SECRET },
  ],
  [IGNORED, 'mainnet', { msat: 2_500_000_000n, description: 'coffee beans', seconds: 3600, secret: SECRET }],
];

/** The invalid ones, each with its reason. */
const INVALID: readonly (readonly [reason: string, text: string])[] = [
  [
    'checksum',
    `lnbc2500u1${HEAD}dpquwpc4curk03c9wlrswe78q4eyqc7d8d0xqzpuyk0sg5g70me25alkluzd2x62aysf2pyy8edtjeevuv4p2d5p76r4zkmneet7uvyakky2zr4cusd45tftc9c5fh0nnqpnl2jfll544esqchsrnt`,
  ],
  [
    'no prefix',
    `${HEAD}dpquwpc4curk03c9wlrswe78q4eyqc7d8d0xqzpuyk0sg5g70me25alkluzd2x62aysf2pyy8edtjeevuv4p2d5p76r4zkmneet7uvyakky2zr4cusd45tftc9c5fh0nnqpnl2jfll544esqchsrny`,
  ],
  [
    'mixed case',
    `LNBC2500u1${HEAD}dpquwpc4curk03c9wlrswe78q4eyqc7d8d0xqzpuyk0sg5g70me25alkluzd2x62aysf2pyy8edtjeevuv4p2d5p76r4zkmneet7uvyakky2zr4cusd45tftc9c5fh0nnqpnl2jfll544esqchsrny`,
  ],
  [
    'signature that no key made',
    `lnbc2500u1${HEAD}dq5xysxxatsyp3k7enxv4jsxqzpuaxtrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspk28uwq`,
  ],
  ['too short', `lnbc1${HEAD}dpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6na6hlh`],
  [
    'multiplier',
    `lnbc2500x1${HEAD}dq5xysxxatsyp3k7enxv4jsxqzpujr6jxr9gq9pv6g46y7d20jfkegkg4gljz2ea2a3m9lmvvr95tq2s0kvu70u3axgelz3kyvtp2ywwt0y8hkx2869zq5dll9nelr83zzqqpgl2zg`,
  ],
  [
    'fraction of a millisatoshi',
    `lnbc2500000001p1${HEAD}dq5xysxxatsyp3k7enxv4jsxqzpu7hqtk93pkf7sw55rdv4k9z2vj050rxdr6za9ekfs3nlt5lr89jqpdmxsmlj9urqumg0h9wzpqecw7th56tdms40p2ny9q4ddvjsedzcplva53s`,
  ],
];

const FIELDS: Bolt11Fields = {
  prefix: 'bcrt',
  msat: 1_000n,
  timestamp: 1_700_000_000,
  paymentHash: HASH,
  paymentSecret: SECRET,
  description: 'tea',
  expirySeconds: 60,
  key: KEY,
};
const refused = (text: string, network = 'regtest'): void =>
  assert.throws(
    () => readPaymentRequest(text, network),
    (error: unknown) => isTillgateError(error, 'INVOICE_INVALID'),
    text.slice(0, 60),
  );

describe('payment requests (BOLT 11)', () => {
  test('reads every valid example of the standard', () => {
    for (const [text, network, { msat, description, seconds, secret = '', hash = HASH, at = AT }] of VALID) {
      const read = readPaymentRequest(text, network);
      assert.deepEqual(
        [read.msat, read.description, read.expiresAt, read.paymentHash, read.paymentAddr],
        [msat, description, at + seconds * 1000, hash, secret],
      );
      assert.equal(read.payee, PAYEE);
    }
  });

  test('refuses every invalid example of the standard', () => {
    for (const [reason, text] of INVALID)
      assert.throws(
        () => readPaymentRequest(text, 'mainnet'),
        (error: unknown) => isTillgateError(error, 'INVOICE_INVALID'),
        reason,
      );
  });

  test('fault 60: an amount of a fraction of a millisatoshi is called so', () => {
    const [, text = ''] = INVALID.find(([reason]) => reason === 'fraction of a millisatoshi') ?? [];
    assert.throws(() => readPaymentRequest(text, 'mainnet'), /not a whole number of millisatoshi/);
  });

  test('reads whatever amount is written, to the millisatoshi', () => {
    for (const msat of [1n, 999n, 1_000n, 1_001n, 123_456_789n, 10n ** 11n, 21_000_000n * 10n ** 11n])
      assert.equal(readPaymentRequest(encodeBolt11({ ...FIELDS, msat }), 'regtest').msat, msat);
    refused(encodeBolt11({ ...FIELDS, amountText: '0' }));
    refused(encodeBolt11({ ...FIELDS, amountText: '21000001' }));
  });

  test('is of its network only', () => {
    for (const [prefix, network] of [
      ['bc', 'mainnet'],
      ['tb', 'testnet'],
      ['tbs', 'signet'],
      ['bcrt', 'regtest'],
      ['sb', 'simnet'],
    ] as const) {
      const text = encodeBolt11({ ...FIELDS, prefix });
      assert.equal(readPaymentRequest(text, network).paymentHash, HASH);
      refused(text, network === 'regtest' ? 'mainnet' : 'regtest');
    }
  });

  test('the node that a request names must be the one that signed it', () => {
    assert.equal(readPaymentRequest(encodeBolt11({ ...FIELDS, payee: PAYEE }), 'regtest').payee, PAYEE);
    refused(encodeBolt11({ ...FIELDS, payee: publicKeyOf(Buffer.alloc(32, 7)) }));
  });

  test('LNURLs, Lightning addresses, offers and overlong texts are refused', () => {
    for (const text of [
      'lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0',
      'LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0',
      'somebody@example.org',
      'lno1pqpzwyq2p32x2um5ypmx2cm5dae8x',
      '',
      `lnbcrt1${'q'.repeat(10_000)}`,
    ])
      refused(text);
  });

  test('an expiry beyond all measure is no time of the past', () => {
    const { expiresAt } = readPaymentRequest(encodeBolt11({ ...FIELDS, expirySeconds: 2 ** 50 }), 'regtest');
    assert.ok(Number.isSafeInteger(expiresAt) && expiresAt > Date.UTC(3000, 0, 1));
  });
});
