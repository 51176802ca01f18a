import { parseAbi } from 'viem/utils';

/**
 * What is read of a token (ERC-20). From `viem/utils`, as everything here: the package's main entry would cost a till
 * that follows no EVM chain's clients some fifteen megabytes.
 */
export const ERC20 = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)', 'function balanceOf(address owner) view returns (uint256)']);
