// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {TestToken} from "./TestToken.sol";

/// As USDT and USDC: its issuer freezes addresses, and pauses all of it.
contract BlockToken is TestToken {
    mapping(address => bool) public blocked;
    bool public paused;

    constructor(string memory symbol_, uint8 decimals_) TestToken(symbol_, decimals_) {}

    function setBlocked(address who, bool yes) external {
        blocked[who] = yes;
    }

    function setPaused(bool yes) external {
        paused = yes;
    }

    function _transfer(address from, address to, uint256 value) internal override returns (bool) {
        require(!paused, "paused");
        require(!blocked[from] && !blocked[to], "blocked");
        return super._transfer(from, to, value);
    }
}
