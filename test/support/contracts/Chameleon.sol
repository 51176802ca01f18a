// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface IPaidToken {
    function transfer(address to, uint256 value) external returns (bool);
}

/// What it pays, in which token and to whom, depends on the block's proposer: an odd address gets the first of each pair. Rival
/// blocks of one height differ in their proposer, so the same transaction does something else in each.
contract Chameleon {
    function pay(address[2] calldata tokens, address[2] calldata receivers, uint256[2] calldata amounts) external {
        uint256 which = first() ? 0 : 1;
        if (amounts[which] == 0) return;
        require(IPaidToken(tokens[which]).transfer(receivers[which], amounts[which]), "refused");
    }

    function payCoin(address payable to, uint256 big, uint256 small) external {
        (bool ok, ) = to.call{value: first() ? big : small}("");
        require(ok, "refused");
    }

    function first() private view returns (bool) {
        return uint160(address(block.coinbase)) % 2 == 1;
    }

    receive() external payable {}
}
