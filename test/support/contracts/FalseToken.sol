// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {TestToken} from "./TestToken.sol";

/// Refuses by answering false: nothing moves and nothing is logged, yet the transaction succeeds.
contract FalseToken is TestToken {
    constructor(string memory symbol_, uint8 decimals_) TestToken(symbol_, decimals_) {}

    function _transfer(address, address, uint256) internal pure override returns (bool) {
        return false;
    }
}
