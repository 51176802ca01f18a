import { createPrivateKey } from 'node:crypto';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { WebauthnVerifier } from '../../../../adapters/passkeys/index.ts';
import { creationOptions, present } from '../../../../core/index.ts';
import type { AccountId } from '../../../../core/index.ts';
import { SoftwareAuthenticator } from '../../../support/authenticator.ts';
import type { Forged } from '../../../support/authenticator.ts';

const SITE = 'https://pay.example.com';
const CHALLENGE = Buffer.alloc(32, 7).toString('base64url');
const ACCOUNT = { id: '1530217733410816001' as AccountId, email: 'shop@example.com', name: null };

/** A vendor of authenticators: a P-256 key and its certificate, both in DER. */
const VENDOR = {
  privateKey: createPrivateKey({
    key: Buffer.from(
      'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgp9qcQM+g4pZFMP3/dcHYeqkKSJeE8kjDM2AOmrOctzWhRANCAARf' +
        '50iArhm3didsKUwVbFp+ge6/6GekCcS1ARQZxA2GksOg/md9gH1v5iRSTIrmMAI5n7sjs9Q4I/+0ZGayBfzE',
      'base64',
    ),
    format: 'der',
    type: 'pkcs8',
  }),
  certificate: Buffer.from(
    'MIIB8jCCAZigAwIBAgIUdr3xKk3HjAuHvhDqz4QCRGJLLGwwCgYIKoZIzj0EAwIwTzELMAkGA1UEBhMCREUxDTALBgNVBAoMBFRl' +
      'c3QxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24xDTALBgNVBAMMBFRlc3QwIBcNMjYxMTIzMDgyMjMzWhgPMjEy' +
      'NjEwMzAwODIyMzNaME8xCzAJBgNVBAYTAkRFMQ0wCwYDVQQKDARUZXN0MSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0' +
      'aW9uMQ0wCwYDVQQDDARUZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEX+dIgK4Zt3YnbClMFWxafoHuv+hnpAnEtQEUGcQN' +
      'hpLDoP5nfYB9b+YkUkyK5jACOZ+7I7PUOCP/tGRmsgX8xKNQME4wHQYDVR0OBBYEFAwpefWqrscQ+96LMp3+eFAHNjo0MB8GA1Ud' +
      'IwQYMBaAFAwpefWqrscQ+96LMp3+eFAHNjo0MAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0EAwIDSAAwRQIhAP8Koz7QBny1aXL7pc3z' +
      'f2z8bkbEotjDD7uAbA4gyFKqAiBTabxeMp/YqgIYPWWkBy2i2niMfGYjW0E9mnfvrec4Vw==',
    'base64',
  ),
};

const verifierOf = (address: string, onlyHttps = true) =>
  new WebauthnVerifier({ address: () => address, name: 'Till', onlyHttps });

describe('the address that passkeys are made for', () => {
  const idOf = (address: string, onlyHttps?: boolean) => verifierOf(address, onlyHttps).relyingParty()?.id ?? null;

  test('is the host of the public address, whatever its port and path', () => {
    assert.equal(idOf('https://pay.example.com'), 'pay.example.com');
    assert.equal(idOf('https://pay.example.com:8443/till'), 'pay.example.com');
  });

  test('has https; without it only where that is allowed', () => {
    assert.equal(idOf('http://pay.example.com'), null);
    assert.equal(idOf('http://localhost:3000'), null);
    assert.equal(idOf('http://localhost:3000', false), 'localhost');
  });

  test('is none where there is no address, or an IP address', () => {
    for (const address of ['', 'https://10.0.0.1', 'https://[::1]:3000'])
      assert.equal(idOf(address, false), null, address);
  });
});

describe('a registration', () => {
  const verify = (forged: Forged = {}) => {
    const verifier = verifierOf(SITE);
    const options = creationOptions(CHALLENGE, present(verifier.relyingParty(), 'a relying party'), ACCOUNT, []);
    const answer = new SoftwareAuthenticator(SITE).create(options, forged);
    return verifier.verifyRegistration(answer, CHALLENGE);
  };

  test('that is right gives the credential with its counter', async () => {
    const made = await verify({ counter: 12 });
    assert.equal(made?.signCount, 12);
  });

  test('that vouches for itself is taken; one with a certificate is refused, also a right one', async () => {
    assert.notEqual(await verify({ attestation: 'self' }), null);
    assert.equal(await verify({ attestation: VENDOR }), null);
  });

  test('for a challenge that is not the expected one is refused', async () => {
    assert.equal(await verify({ challenge: Buffer.alloc(32, 8).toString('base64url') }), null);
  });
});

describe('an answer that is no WebAuthn', () => {
  const answer = (clientDataJSON: string) => ({
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON, attestationObject: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
  });

  test('names no challenge and verifies as nothing', async () => {
    const verifier = verifierOf(SITE);
    for (const text of ['', '!', 'null', '[]', '{}', '{"challenge":1}', '{"challenge":"a","crossOrigin":"no"}']) {
      const sent = answer(Buffer.from(text).toString('base64url'));
      assert.equal(verifier.challengeOf(sent), null, text);
      assert.equal(await verifier.verifyRegistration(sent, CHALLENGE), null, text);
    }
    const shaped = answer(Buffer.from(JSON.stringify({ challenge: CHALLENGE })).toString('base64url'));
    assert.equal(verifier.challengeOf(shaped), CHALLENGE);
    assert.equal(await verifier.verifyRegistration(shaped, CHALLENGE), null);
  });
});
