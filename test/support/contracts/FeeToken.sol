// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {TestToken} from "./TestToken.sol";

/// Keeps a part of every transfer, but logs the gross value: what arrives is less than what the log says.
contract FeeToken is TestToken {
    uint256 public immutable feeBasisPoints;

    constructor(string memory symbol_, uint8 decimals_, uint256 feeBasisPoints_) TestToken(symbol_, decimals_) {
        feeBasisPoints = feeBasisPoints_;
    }

    function _transfer(address from, address to, uint256 value) internal override returns (bool) {
        uint256 fee = value * feeBasisPoints / 10_000;
        _move(from, to, value - fee);
        _move(from, address(this), fee);
        emit Transfer(from, to, value);
        return true;
    }
}
