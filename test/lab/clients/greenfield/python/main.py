"""Python packages do what a shop does: each prints what ../greenfield.test.ts reads.

GREENFIELD_WAY is the package: btcpay-python-sdk, btcpay-rest-client, btcpay-mcp or pygreenfield.
"""

import contextlib
import io
import json
import os
from importlib.metadata import version

URL = os.environ["GREENFIELD_URL"]
KEY = os.environ["GREENFIELD_KEY"]
STORE = os.environ["GREENFIELD_STORE"]
HOOK = os.environ["GREENFIELD_HOOK"]
WAY = os.environ["GREENFIELD_WAY"]
METADATA = {"orderId": f"{WAY}-1", "buyer": {"name": "A Buyer", "loyal": True}}


def say(name: str, *values: object) -> None:
    print(name, *(value if isinstance(value, str) else json.dumps(value) for value in values), flush=True)


def say_invoice(made: dict, got: dict, listed: list | None, coins: list) -> None:
    say("made", made["id"], made["status"], made["checkoutLink"])
    say("got", got["id"], got["amount"], got["currency"], got["metadata"])
    if listed is not None:
        say("listed", sum(one["id"] == made["id"] for one in listed))
    say("coins", bool(coins) and all(float(coin["rate"]) > 0 for coin in coins))


def say_pull(pull: dict, pulls: list) -> None:
    say("pull", pull["id"], pull["amount"], pull["currency"], pull["viewLink"])
    say("pulls", sum(one["id"] == pull["id"] for one in pulls))


def with_sdk() -> None:
    import btcpay

    btcpay.api_key, btcpay.host_url, btcpay.store_id = KEY, f"{URL}/", STORE
    invoices, pull_payments = btcpay.Invoices, btcpay.PullPayments
    made = invoices.create_invoice(amount="12.50", currency="EUR", metadata=METADATA)
    got = invoices.get_invoice(made["id"])
    say_invoice(made, got, invoices.get_invoices(), invoices.get_invoice_payment_methods(made["id"]))
    marked = invoices.mark_invoice_status(made["id"], "invalid")
    say("marked", marked["status"], marked["additionalStatus"])
    pull = pull_payments.create_pull_payment(name="A refund", amount="4.00", currency="EUR")
    say_pull(pull, pull_payments.get_pull_payments())
    btcpay.api_key = "a-key-of-nobody"
    try:
        invoices.get_invoice(made["id"])
    except Exception as error:
        say("refused", error.response.status_code)


def with_rest_client() -> None:
    from btcpay_rest_client.api import BTCPayServerAPIClient

    client = BTCPayServerAPIClient.login_token(URL, KEY)
    client.set_store_id(STORE)
    # It prints as it goes.
    with contextlib.redirect_stdout(io.StringIO()):
        server = client.server_info()
        made = client.create_invoice({"amount": 12.5, "currency": "EUR", "metadata": METADATA, "checkout": {}})
        got = client.get_invoice(made["id"])
        coins = client.get_invoice_payment_methods(made["id"])
        hooks = client.webhooks_get()
    say("server", server["version"], server["fullySynched"])
    say_invoice(made, got, None, coins)
    assert isinstance(hooks, list), hooks


def with_mcp() -> None:
    from btcpay_mcp.client import BTCPayClient

    client = BTCPayClient(URL, KEY, STORE)
    server = client.get_server_info()
    say("server", server["version"], server["fullySynched"])
    made = client.create_invoice("12.50", "EUR", order_id=METADATA["orderId"], item_desc="Shoes")
    got, listed = client.get_invoice(made["id"]), client.list_invoices(status="New")
    say_invoice(made, got, listed, client.get_invoice_payment_methods(made["id"]))
    hook = client.create_webhook(HOOK, ["InvoiceSettled"])
    say("hook", hook["id"], hook["enabled"])
    say("hooks", sum(one["id"] == hook["id"] for one in client.list_webhooks()))
    pull = client.create_pull_payment("A refund", "4.00", "EUR")
    say_pull(pull, client.list_pull_payments())
    try:
        BTCPayClient(URL, "a-key-of-nobody", STORE).get_invoice(made["id"])
    except Exception as error:
        say("refused", "401" if "401" in str(error) else str(error))


def with_generated() -> None:
    import pygreenfield
    from pygreenfield.rest import ApiException

    configuration = pygreenfield.Configuration()
    configuration.host = URL
    configuration.api_key["Authorization"] = KEY
    configuration.api_key_prefix["Authorization"] = "token"
    client = pygreenfield.ApiClient(configuration)
    # What it makes of an answer loses the parts of its models that they inherit: the answers are read as JSON.
    call = {"_preload_content": False}
    server = json.loads(pygreenfield.ServerInfoApi(client).server_info_get_server_info(**call).data)
    say("server", server["version"], server["fullySynched"])
    invoices = pygreenfield.InvoicesApi(client)
    body = {"amount": "12.50", "currency": "EUR", "metadata": METADATA}
    made = json.loads(invoices.invoices_create_invoice(body, STORE, **call).data)
    got = json.loads(invoices.invoices_get_invoice(STORE, made["id"], **call).data)
    listed = json.loads(invoices.invoices_get_invoices(STORE, order_id=[METADATA["orderId"]], **call).data)
    coins = json.loads(invoices.invoices_get_invoice_payment_methods(STORE, made["id"], **call).data)
    say_invoice(made, got, listed, coins)
    marked = json.loads(invoices.invoices_mark_invoice_status({"status": "Invalid"}, STORE, made["id"], **call).data)
    say("marked", marked["status"], marked["additionalStatus"])
    webhooks = pygreenfield.WebhooksApi(client)
    events = {"everything": False, "specificEvents": ["InvoiceSettled"]}
    wanted = {"enabled": True, "automaticRedelivery": True, "url": HOOK, "authorizedEvents": events}
    hook = json.loads(webhooks.api_v1_stores_store_id_webhooks_post(wanted, STORE, **call).data)
    say("hook", hook["id"], hook["enabled"])
    count = lambda: sum(one["id"] == hook["id"] for one in json.loads(webhooks.webhokks_get_webhooks(STORE, **call).data))
    say("hooks", count())
    webhooks.api_v1_stores_store_id_webhooks_webhook_id_delete(STORE, hook["id"], **call)
    say("removed", count())
    pull_payments = pygreenfield.PullPaymentsManagementApi(client)
    refund = {"name": "A refund", "amount": "4.00", "currency": "EUR"}
    pull = json.loads(pull_payments.pull_payments_create_pull_payment(STORE, body=refund, **call).data)
    say_pull(pull, json.loads(pull_payments.pull_payments_get_pull_payments(STORE, **call).data))
    configuration.api_key["Authorization"] = "a-key-of-nobody"
    try:
        invoices.invoices_get_invoice(STORE, made["id"], **call)
    except ApiException as error:
        say("refused", error.status)


WAYS = {
    "btcpay-python-sdk": with_sdk,
    "btcpay-rest-client": with_rest_client,
    "btcpay-mcp": with_mcp,
    "pygreenfield": with_generated,
}
say("version", version(WAY))
WAYS[WAY]()
