import { TillgateError } from '../../core/index.ts';
import type { Clock, LightningNode, Logger } from '../../core/index.ts';
import { ClnNode } from './cln/cln-node.ts';
import { LndNode } from './lnd/lnd-node.ts';
import { PhoenixdNode } from './phoenixd/phoenixd-node.ts';
import { readSecret } from '../plugin-options/read-secret.ts';
import { networkOf } from './plugin-options.ts';
import type { LightningPluginOptions } from './plugin-options.ts';

/** Opens the configured node. Secrets are read from their files; no request is sent yet. */
export async function openLightning(
  options: LightningPluginOptions,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): Promise<LightningNode> {
  const network = networkOf(options);
  const { lnd, cln, phoenixd } = options;
  if (lnd !== undefined) {
    const macaroon = (await readSecret('lnd.macaroonFile', lnd.macaroonFile)).toString('hex');
    const certificate = await certificateOf('lnd', lnd.tlsCertFile);
    return new LndNode(
      { restUrl: lnd.restUrl, macaroon, certificate, network, privateChannels: lnd.privateChannels ?? false },
      logger,
    );
  }
  if (cln !== undefined) {
    const rune = (await readSecret('cln.runeFile', cln.runeFile)).toString('utf8').trim();
    return new ClnNode(
      { restUrl: cln.restUrl, rune, certificate: await certificateOf('cln', cln.tlsCertFile), network },
      clock,
      logger,
    );
  }
  if (phoenixd !== undefined) {
    const password = (await readSecret('phoenixd.passwordFile', phoenixd.passwordFile)).toString('utf8').trim();
    return new PhoenixdNode({
      url: phoenixd.url,
      password,
      certificate: await certificateOf('phoenixd', phoenixd.tlsCertFile),
      network,
    });
  }
  throw new TillgateError('CONFIG_INVALID', 'Configure a Lightning node: lnd, cln or phoenixd.');
}

async function certificateOf(node: string, path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  const text = (await readSecret(`${node}.tlsCertFile`, path)).toString('utf8');
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new TillgateError('CONFIG_INVALID', `The file named by ${node}.tlsCertFile holds no PEM certificate.`);
  return text;
}
