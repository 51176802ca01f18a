//! alloy through the gateway: prints a line for each feature of ../../features.ts.

use std::{env, error::Error, time::Duration};

use alloy_network::EthereumWallet;
use alloy_primitives::{Address, B256, U256, U64};
use alloy_provider::{Provider, ProviderBuilder, WsConnect};
use alloy_rpc_client::RpcClient;
use alloy_rpc_types_eth::TransactionRequest;
use alloy_signer_local::PrivateKeySigner;
use alloy_transport::Authorization;
use alloy_transport_http::Http;
use reqwest::header::{HeaderMap, AUTHORIZATION};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn given(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

/// Has the gateway restarted; returns the number of the latest block then.
async fn restart() -> Result<u64> {
    Ok(reqwest::get(given("RESTART_URL")).await?.text().await?.parse()?)
}

fn client_of(url: &str, headers: HeaderMap) -> Result<RpcClient> {
    let client = reqwest::Client::builder().default_headers(headers).no_proxy().build()?;
    Ok(RpcClient::new(Http::with_client(client, url.parse()?), false))
}

async fn over_http(url: &str, key: &str) -> Result<()> {
    let mut bearer = HeaderMap::new();
    bearer.insert(AUTHORIZATION, format!("Bearer {key}").parse()?);
    let signer: PrivateKeySigner = given("PRIVATE_KEY").parse()?;
    let in_header = ProviderBuilder::new().wallet(EthereumWallet::from(signer)).connect_client(client_of(url, bearer)?);
    println!("http-header {}", in_header.get_chain_id().await?);

    let client = client_of(&format!("{url}/{key}"), HeaderMap::new())?;
    println!("http-path {}", client.request_noparams::<U64>("eth_chainId").await?);
    let mut batch = client.new_batch();
    let id = batch.add_call::<_, U64>("eth_chainId", &())?;
    let balance = batch.add_call::<_, U256>("eth_getBalance", &(given("RICH"), "latest"))?;
    batch.send().await?;
    println!("http-batch {} {}", id.await?, balance.await?);

    let transfer = TransactionRequest::default().to(given("RECEIVER").parse::<Address>()?).value(U256::from(1));
    let receipt = in_header.send_transaction(transfer).await?.get_receipt().await?;
    println!("transaction {}", receipt.transaction_hash);
    restart().await?;
    println!("http-restart {}", in_header.get_chain_id().await?);
    Ok(())
}

async fn over_websocket(url: &str, key: &str) -> Result<()> {
    let in_header = WsConnect::new(url).with_auth(Authorization::bearer(key));
    println!("ws-header {}", ProviderBuilder::new().connect_ws(in_header).await?.get_chain_id().await?);
    let in_path = WsConnect::new(format!("{url}/{key}")).with_retry_interval(Duration::from_millis(200));
    let provider = ProviderBuilder::new().connect_ws(in_path).await?;
    println!("ws-path {}", provider.get_chain_id().await?);
    let mut blocks = provider.subscribe_blocks().await?;
    println!("subscription {}", blocks.recv().await?.hash);
    let former = restart().await?;
    let hash: B256 = loop {
        let head = blocks.recv().await?;
        if head.number > former {
            break head.hash;
        }
    };
    println!("ws-restart {hash}");
    Ok(())
}

/// Of alloy-provider, as the lock file says.
fn version() -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let (_, after) = lock.split_once("name = \"alloy-provider\"\nversion = \"").expect("alloy-provider is locked");
    after.split('"').next().unwrap_or_default()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    println!("version {}", version());
    let key = given("GATEWAY_KEY");
    over_http(&given("GATEWAY_HTTP"), &key).await?;
    over_websocket(&given("GATEWAY_WS"), &key).await
}
