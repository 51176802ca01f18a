<?php
// Receives callbacks; see ../README.md. PHP 8.1 or later, no packages.
declare(strict_types=1);

const TOLERANCE_S = 300;
const MAX_BODY = 1_000_000;

function handle(string $orderId, string $status): void
{
    error_log("order $orderId is $status");
}

function isAuthentic(string $id, string $timestamp, string $signatures, string $body): bool
{
    if ($id === '' || !preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_S) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', (string) getenv('CALLBACK_SECRET')), true);
    if ($key === false || $key === '') {
        throw new RuntimeException('CALLBACK_SECRET is whsec_ and base64');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $presented) {
        if (hash_equals($expected, $presented)) {
            return true;
        }
    }
    return false;
}

/** A file of ids under a lock; in an application, a table with a unique column, written in the transaction of handle(). */
function handleOnce(string $id, string $orderId, string $status): void
{
    $file = fopen(getenv('HANDLED_FILE') ?: 'handled-callbacks.txt', 'c+');
    if ($file === false || !flock($file, LOCK_EX)) {
        throw new RuntimeException('The handled callbacks cannot be read.');
    }
    if (!in_array($id, explode("\n", (string) stream_get_contents($file)), true)) {
        handle($orderId, $status);
        if (fwrite($file, "$id\n") === false || !fflush($file)) {
            throw new RuntimeException('The handled callbacks cannot be written.');
        }
    }
    fclose($file);
}

// Until the end is reached, the answer is a failure: the till sends the callback again.
http_response_code(500);
$body = (string) file_get_contents('php://input', false, null, 0, MAX_BODY + 1);
[$id, $timestamp, $signatures] = array_map(
    fn (string $name): string => $_SERVER["HTTP_WEBHOOK_$name"] ?? '',
    ['ID', 'TIMESTAMP', 'SIGNATURE'],
);
if ($_SERVER['REQUEST_METHOD'] !== 'POST' || strlen($body) > MAX_BODY || !isAuthentic($id, $timestamp, $signatures, $body)) {
    http_response_code(400);
    exit;
}
$order = json_decode($body, true, 16, JSON_THROW_ON_ERROR);
handleOnce($id, $order['order_id'], $order['status']);
http_response_code(204);
