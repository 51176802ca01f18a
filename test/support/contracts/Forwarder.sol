// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Pays native coins by an internal call, as exchanges and smart wallets do: no transaction names the recipient.
contract Forwarder {
    function forward(address payable to) external payable {
        _pay(to);
    }

    /// The trace shows a payment that the revert undoes.
    function forwardThenRevert(address payable to) external payable {
        _pay(to);
        revert("paid, then reverted");
    }

    function _pay(address payable to) private {
        (bool ok, ) = to.call{value: msg.value}("");
        require(ok, "recipient refused");
    }
}
