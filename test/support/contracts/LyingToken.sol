// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {TestToken} from "./TestToken.sol";

/// Logs transfers, and answers true, without moving anything.
contract LyingToken is TestToken {
    constructor(string memory symbol_, uint8 decimals_) TestToken(symbol_, decimals_) {}

    function _transfer(address from, address to, uint256 value) internal override returns (bool) {
        emit Transfer(from, to, value);
        return true;
    }
}
