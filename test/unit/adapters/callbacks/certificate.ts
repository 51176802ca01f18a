import { generateKeyPairSync, sign } from 'node:crypto';

/** A private key and a self-signed certificate for it, both in PEM form. */
export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
}

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const utcTime = (at: Date): Buffer => tlv(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';
const DAY_MS = 86_400_000;

/** Makes a certificate for a host name, good for a day (X.509, RFC 5280; no library and no program is needed). */
export function selfSigned(hostname: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(tlv(0x31, sequence(oid(COMMON_NAME), tlv(0x0c, Buffer.from(hostname)))));
  const altNames = tlv(0x04, sequence(tlv(0x82, Buffer.from(hostname))));
  const toSign = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    sequence(utcTime(new Date(Date.now() - DAY_MS)), utcTime(new Date(Date.now() + DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(sequence(oid(SUBJECT_ALT_NAME), altNames))),
  );
  const signature = tlv(0x03, Buffer.from([0]), sign('sha256', toSign, privateKey));
  const der = sequence(toSign, ECDSA_SHA256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${(der.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
