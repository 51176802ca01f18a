import type { SignatureAlgorithm } from '../../../core/index.ts';

/** A request whose signature OpenSSL made; its target and body are those of `request`. */
export interface SignatureVector {
  readonly algorithm: SignatureAlgorithm;
  readonly delimiter: string;
  readonly request: { readonly method: string; readonly target: string; readonly body: string };
  readonly shape: string;
  readonly bodyMd5: string;
  readonly signature: string;
}

export const VECTOR_SECRET = 'tss_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
export const VECTOR_DATE = '2026-03-01T12:00:00Z';

const BODY = {
  method: 'POST',
  target: '/api/order/pay-url',
  body: '{"price":12.5,"currency":"EUR","succeed_url":"https://shop.example/dänke"}',
};
const QUERY = { method: 'GET', target: '/api/v2/order/?page=1&size=10', body: '' };
const NO_BODY = { method: 'POST', target: '/api/v2/order/refund/123456789012345678', body: '' };

/**
 * Made by OpenSSL 3.0, an independent signer:
 *
 *     MD5=$(printf '%s' "$BODY" | openssl dgst -md5 -r | cut -d' ' -f1)
 *     printf '%s' "HMAC-SHA256 | $DATE | POST /api/order/pay-url | $MD5" \
 *       | openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64 -A
 *
 * and so on, with `-sha3-256` for HMAC-SHA3_256, `|` for the delimiter, and MD5 in either case.
 */
export const VECTORS: readonly SignatureVector[] = [
  {
    algorithm: 'HMAC-SHA256',
    delimiter: ' | ',
    request: BODY,
    shape: 'body',
    bodyMd5: '79b7336ecb39acd49e3ffcc86cf56131',
    signature: 'TmyN1+So7orUqMBOZ352hCG/xaLOf46yNXW++O03Xvw=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: ' | ',
    request: BODY,
    shape: 'body',
    bodyMd5: '79B7336ECB39ACD49E3FFCC86CF56131',
    signature: '6IHKVaVPli63huB6sXM6eJBT97DeEPwQ4JFoACEu/l0=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: ' | ',
    request: QUERY,
    shape: 'query, three parts',
    bodyMd5: '',
    signature: 'fTbkJdfwoQLIV0UIf2gWps5Ex6aVZNkEh6PO3JQTof4=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: ' | ',
    request: QUERY,
    shape: 'query, four parts',
    bodyMd5: '',
    signature: 'e4S+ZRYHwVtWkGspL98ei19Dq047iGEU+ewjlcfBc3s=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: ' | ',
    request: NO_BODY,
    shape: 'no body, three parts',
    bodyMd5: '',
    signature: 'oIx86ielw/hEa+pg5qC2XvU9nJn/0b8BH8szMPBuEdA=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: '|',
    request: BODY,
    shape: 'body',
    bodyMd5: '79b7336ecb39acd49e3ffcc86cf56131',
    signature: 'lmUFIIgGbmTK1kbr34pcVo2vB1k/ITUMU7lpzRK7Q+Y=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: '|',
    request: BODY,
    shape: 'body',
    bodyMd5: '79B7336ECB39ACD49E3FFCC86CF56131',
    signature: 'H/R06NQrz6rRvFzOU0/3BwjsXZ3jVyZUB1Kvj7K5sDM=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: '|',
    request: QUERY,
    shape: 'query, three parts',
    bodyMd5: '',
    signature: '+Gm/cD1BbcRsTe2h0+/dUCrr6H+xbbHFggwD4UEZRCc=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: '|',
    request: QUERY,
    shape: 'query, four parts',
    bodyMd5: '',
    signature: 'f1+BXZtS2duEYCQGh0qEuJz6Cf8CdW2Xc6ZYTFiqynE=',
  },
  {
    algorithm: 'HMAC-SHA256',
    delimiter: '|',
    request: NO_BODY,
    shape: 'no body, three parts',
    bodyMd5: '',
    signature: 'Ixil4wuCXcHds4Nitf4Zph3O201/C+WEfmQOn0WjiLI=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: ' | ',
    request: BODY,
    shape: 'body',
    bodyMd5: '79b7336ecb39acd49e3ffcc86cf56131',
    signature: 'v06ig3E+F9DNyyrFTKnNqYk5WvYxfqTuwfvQL0rf5i4=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: ' | ',
    request: BODY,
    shape: 'body',
    bodyMd5: '79B7336ECB39ACD49E3FFCC86CF56131',
    signature: 'p/RhTO0CJhy0h4Kb/kbxTZg4vLrF5vcD/5i9lFE8U4M=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: ' | ',
    request: QUERY,
    shape: 'query, three parts',
    bodyMd5: '',
    signature: 'gw/7uOZTWTI8AncIiveYuN3I2z4eOf2diCZmAmDUz90=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: ' | ',
    request: QUERY,
    shape: 'query, four parts',
    bodyMd5: '',
    signature: 'Up2OfLegM64sLmyk44JMr3E57hDXtopIO95BIZKWVmA=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: ' | ',
    request: NO_BODY,
    shape: 'no body, three parts',
    bodyMd5: '',
    signature: 'bTOOn3DbH1peIgEuVKpi0Tx7ig24Hpo1PDoD6JbMwT0=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: '|',
    request: BODY,
    shape: 'body',
    bodyMd5: '79b7336ecb39acd49e3ffcc86cf56131',
    signature: 'p9zN5GbXIwMEbqwnkrw+r+q70IrFsW+pdbvWvYhg1ps=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: '|',
    request: BODY,
    shape: 'body',
    bodyMd5: '79B7336ECB39ACD49E3FFCC86CF56131',
    signature: 'WYn/k8tIEzEQ0bGdKQ+I+9ltDVc+D1+7h7/7+pnLvZc=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: '|',
    request: QUERY,
    shape: 'query, three parts',
    bodyMd5: '',
    signature: 'ht/hUWeEyCv89qebdhASQ3vHLsypfVY+9y+TC1kuLig=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: '|',
    request: QUERY,
    shape: 'query, four parts',
    bodyMd5: '',
    signature: 'lCZsJEgPk+BxkKL2W43IuRI5a7fHyGn1CMT0AiXL+BY=',
  },
  {
    algorithm: 'HMAC-SHA3_256',
    delimiter: '|',
    request: NO_BODY,
    shape: 'no body, three parts',
    bodyMd5: '',
    signature: 'z1uhqFGBpYJJBiXSHjQWENdfFx/Ft4Vn2sqYfnt+jhU=',
  },
];
