import { COMMON_PRINTS } from './common-password-prints.ts';
import { fingerprint } from './fingerprint.ts';

/** Common passwords that the list lacks, because they are newer or of this field, in lower case. */
const COMMON: ReadonlySet<string> = new Set(
  `
  000000000000 111111111111 222222222222 555555555555 666666666666 777777777777 888888888888 999999999999 aaaaaaaaaaaa xxxxxxxxxxxx
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 012345678910 123456789123 123456789abc 123456789qwe
  987654321098 0987654321098 098765432100 102030405060 121212121212 123123123123 147258369147 123321123321 112233445566
  1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv zaq12wsxcde3 qazwsxedcrfv q1w2e3r4t5y6
  qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiopas qwertyuiopasdf qwertyuiopasdfghjkl qwertyqwerty qwerty123456
  qwerty1234567 qwerty12345678 qwerty123456789 123456qwerty 123456789qwerty asdfghjkl123 asdfghjkl;' asdfghjklzxc zxcvbnm12345
  zxcvbnm123456 zxcvbnmasdfghjkl abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefgh1234 abcd12345678 abc123456789 aa1234567890
  a1234567890b a12345678901 password1234 password12345 password123456 password1234567 password12345678 password123456789
  passwordpassword password2023 password2024 password2025 password2026 password123! password@123 p@ssw0rd1234 p@ssword1234
  passw0rd1234 mypassword12 mypassword123 mypassword1234 changeme1234 changeme123! changemenow1 changemeplease letmein12345
  letmein123456 letmeinplease welcome12345 welcome123456 welcome1234! welcome@1234 administrator administrator1 administrator123
  admin1234567 admin12345678 admin123456789 adminadminadmin adminpassword rootpassword superadmin123 testpassword testtesttest
  test12345678 testing12345 iloveyou1234 iloveyou12345 iloveyouforever iloveyousomuch sunshine1234 princess1234 football1234
  baseball1234 basketball12 superman1234 master123456 monkey123456 dragon123456 michael12345 charlie12345 liverpool123
  manchesterunited chelsea12345 computer1234 internet1234 facebook1234 instagram123 linkedin1234 bitcoin12345 bitcoin123456
  ethereum1234 cryptocurrency satoshinakamoto tothemoon1234 hunter2hunter2 trustno1trustno1 correcthorsebatterystaple
  thequickbrownfox whatever1234 secret123456 secretpassword unknown12345 default12345 guest1234567 user12345678 lovelovelove
  jesuschrist1 godisgoodallthetime starwars1234 harrypotter1 harrypotter123 november2025 december2025 summer202425
  `
    .trim()
    .split(/\s+/),
);

const DIGITS = 8;
const prints = COMMON_PRINTS.replaceAll('\n', '');

/** The number of passwords in the list of leaked ones. */
export const LISTED_PASSWORDS = prints.length / DIGITS;

function isListed(print: string): boolean {
  let [from, to] = [0, LISTED_PASSWORDS];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const found = prints.slice(middle * DIGITS, (middle + 1) * DIGITS);
    if (found === print) return true;
    if (found < print) from = middle + 1;
    else to = middle;
  }
  return false;
}

/** True for a common password, in any case. About one in 850,000 other passwords is reported too. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return COMMON.has(text) || isListed(fingerprint(text));
}
