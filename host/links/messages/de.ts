import type { LinkMessages } from './en.ts';

export const de: LinkMessages = {
  payButton: 'Bezahlen',
  amountLabel: 'Betrag in {currency}',
  amountBetween: 'Zwischen {least} und {most}',
  amountFrom: 'Mindestens {least}',
  amountTo: 'Höchstens {most}',
  soldOutTitle: 'Ausverkauft',
  soldOutText: 'Auf dieser Seite ist alles verkauft.',
  endedTitle: 'Nicht mehr verfügbar',
  endedText: 'Diese Seite nimmt keine Zahlungen mehr an. Bitten Sie den Händler um einen neuen Link.',
  reservedTitle: 'Vorübergehend nicht verfügbar',
  reservedText:
    'Alle verbleibenden Artikel sind für laufende Zahlungen reserviert. Versuchen Sie es in einer halben Stunde noch einmal.',
  busyText: 'Auf dieser Seite laufen zu viele Zahlungen. Versuchen Sie es später noch einmal.',
  unknownTitle: 'Seite nicht gefunden',
  refusedAmount: 'Dieser Betrag wird nicht angenommen. Geben Sie einen anderen Betrag ein.',
  refusedForm:
    'Versuchen Sie es noch einmal. Wenn diese Meldung wieder erscheint, erlauben Sie Cookies für diese Seite.',
  refusedOften: 'Zu viele Versuche aus Ihrem Netzwerk. Versuchen Sie es in einer halben Stunde noch einmal.',
  unpairedTitle: 'Gerät koppeln',
  unpairedText:
    'Scannen Sie den Kopplungscode mit diesem Gerät oder geben Sie ihn ein. Kopplungscodes erstellen Sie im Dashboard unter Zahlungslinks.',
  pairingCode: 'Kopplungscode',
  pairButton: 'Gerät koppeln',
  pairRefused:
    'Dieser Kopplungscode wurde bereits verwendet oder ist abgelaufen. Erstellen Sie im Dashboard einen neuen.',
  charge: 'Kassieren',
  waiting: 'Zahlung ausstehend',
  seen: 'Zahlung erkannt, wird bestätigt',
  notPaid: 'Abgelaufen',
  partly: 'Teilweise bezahlt',
  cancelled: 'Storniert',
  scan: 'Bitten Sie den Kunden, diesen Code zu scannen.',
  nextSale: 'Neuer Verkauf',
  today: 'Heute',
  total: 'Heute bezahlt: {total}',
  noSales: 'Noch keine Verkäufe.',
  deleteDigit: 'Letzte Ziffer löschen',
  qrOf: 'QR-Code der Zahlungsseite',
  goOn: 'Weiter zur Zahlung',
};
