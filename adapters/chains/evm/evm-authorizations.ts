import {
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  keccak256,
  parseAbi,
  parseAbiParameters,
  recoverTypedDataAddress,
  toBytes,
} from 'viem/utils';
import type { Hex } from 'viem';
import { TillgateError } from '../../../core/index.ts';
import type { Authorization, AuthorizationTerms, CurrencyCode, TokenAuthorizations } from '../../../core/index.ts';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient } from '../json-rpc.ts';

const DOMAIN = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;
/** The domain of a token's signatures (EIP-712). */
interface Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: bigint;
  readonly verifyingContract: Hex;
}

const textHash = (text: string): Hex => keccak256(toBytes(text));
const DOMAIN_TYPE = textHash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');

function separatorOf({ name, version, chainId, verifyingContract }: Domain): Hex {
  const fields = parseAbiParameters('bytes32, bytes32, bytes32, uint256, address');
  const values = [DOMAIN_TYPE, textHash(name), textHash(version), chainId, verifyingContract] as const;
  return keccak256(encodeAbiParameters(fields, values));
}

const NOBODY = `0x${'00'.repeat(20)}` as const;
const NO_NONCE = `0x${'00'.repeat(32)}` as const;

/**
 * The tokens with EIP-3009 of a chain. Whether a contract accepts authorizations, and its signing domain, are read at
 * the first use: name and version are accepted only when they yield the contract's own `DOMAIN_SEPARATOR`.
 */
export class EvmAuthorizations implements TokenAuthorizations {
  readonly #client: JsonRpcClient;
  readonly #chainId: number;
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;
  readonly #known = new Map<CurrencyCode, AuthorizationTerms | null>();

  constructor(client: JsonRpcClient, chainId: number, contracts: ReadonlyMap<CurrencyCode, string>) {
    this.#client = client;
    this.#chainId = chainId;
    this.#contracts = contracts;
  }

  async terms(currency: CurrencyCode): Promise<AuthorizationTerms | null> {
    const known = this.#known.get(currency);
    if (known !== undefined) return known;
    const contract = this.#contracts.get(currency);
    const terms = contract === undefined ? null : await this.#read(getAddress(contract));
    this.#known.set(currency, terms);
    return terms;
  }

  async isSigned(authorization: Authorization, to: string): Promise<boolean> {
    const terms = await this.terms(authorization.currency);
    if (terms === null)
      throw new TillgateError('UNSUPPORTED', `${authorization.currency} does not support authorizations (EIP-3009).`);
    const { from, units: value, validAfter, validBefore, nonce, signature } = authorization;
    try {
      const signer = await recoverTypedDataAddress({
        domain: this.#domain(terms),
        types: TYPES,
        primaryType: 'TransferWithAuthorization',
        message: { from: from as Hex, to: to as Hex, value, validAfter, validBefore, nonce: nonce as Hex },
        signature: signature as Hex,
      });
      return signer === getAddress(from);
    } catch {
      // No key produces a signature of that form.
      return false;
    }
  }

  #domain({ name, version, asset }: Pick<AuthorizationTerms, 'name' | 'version' | 'asset'>): Domain {
    return { name, version, chainId: BigInt(this.#chainId), verifyingContract: asset as Hex };
  }

  async #read(asset: Hex): Promise<AuthorizationTerms | null> {
    const calls = [
      encodeFunctionData({ abi: DOMAIN, functionName: 'name' }),
      encodeFunctionData({ abi: DOMAIN, functionName: 'version' }),
      encodeFunctionData({ abi: DOMAIN, functionName: 'DOMAIN_SEPARATOR' }),
      encodeFunctionData({ abi: DOMAIN, functionName: 'authorizationState', args: [NOBODY, NO_NONCE] }),
    ];
    const replies = await this.#client.batch(
      calls.map((data) => ({ method: 'eth_call', params: [{ to: asset, data }, 'latest'] })),
    );
    for (const { problem } of replies)
      if (problem !== null && !/revert/i.test(problem.message)) throw refusal('eth_call', problem, this.#client.host);
    const [named, versioned, separated, used] = replies.map(({ problem, result }) =>
      problem === null && typeof result === 'string' ? (result as Hex) : '0x',
    ) as [Hex, Hex, Hex, Hex];
    try {
      const name = decodeFunctionResult({ abi: DOMAIN, functionName: 'name', data: named });
      const version = decodeFunctionResult({ abi: DOMAIN, functionName: 'version', data: versioned });
      const separator = decodeFunctionResult({ abi: DOMAIN, functionName: 'DOMAIN_SEPARATOR', data: separated });
      decodeFunctionResult({ abi: DOMAIN, functionName: 'authorizationState', data: used });
      const isOwn = separatorOf(this.#domain({ name, version, asset })) === separator;
      return isOwn ? { network: `eip155:${this.#chainId}`, asset, name, version } : null;
    } catch {
      return null;
    }
  }
}
