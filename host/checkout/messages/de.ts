import type { Messages } from './en.ts';

/** The page's texts in German. */
export const de: Messages = {
  // Headings and sentences, one pair for each state of an order.
  chooseTitle: 'Wählen Sie, womit Sie zahlen',
  chooseText: 'Die Beträge gelten zum jetzigen Kurs. Er steht fest, sobald Sie gewählt haben.',
  waitingTitle: 'Wir warten auf Ihre Zahlung',
  waitingText: 'Senden Sie genau diesen Betrag an die Adresse unten. Diese Seite aktualisiert sich von selbst.',
  waitingLightningText:
    'Bezahlen Sie die Anforderung unten mit einer Lightning-Wallet. Diese Seite aktualisiert sich von selbst.',
  closingTitle: 'Die Zeit zum Zahlen ist abgelaufen',
  closingText: 'Senden Sie jetzt nichts mehr. Eine rechtzeitig gesendete Zahlung zählt noch und erscheint hier.',
  shortTitle: 'Ein Teil des Betrags ist eingetroffen',
  shortText: '{received} {coin} sind eingetroffen. Noch zu zahlen: {remaining} {coin}.',
  seenTitle: 'Ihre Zahlung wurde gesehen',
  seenText: 'Sie müssen nichts weiter tun. Sie ist gleich abgeschlossen.',
  confirmingText: 'Sie müssen nichts weiter tun. Das Netzwerk hat sie {count} von {needed} Mal bestätigt.',
  recheckingTitle: 'Ihre Zahlung wird noch einmal geprüft',
  recheckingText:
    'Das Netzwerk hat seine letzten Blöcke neu geordnet. Das klärt sich meist von selbst; Sie müssen nichts tun.',
  paidTitle: 'Bezahlt',
  paidText: 'Ihre Zahlung ist abgeschlossen. Vielen Dank.',
  paidLateText: 'Ihre Zahlung kam nach Ablauf der Frist und wurde angenommen. Vielen Dank.',
  expiredTitle: 'Die Zeit zum Zahlen ist abgelaufen',
  expiredText:
    'Es ist nichts rechtzeitig eingetroffen. Senden Sie jetzt nichts mehr; bitten Sie den Händler um eine neue Bestellung. Was Sie schon gesendet haben, wird trotzdem erfasst.',
  lateTitle: 'Ihre Zahlung kam zu spät',
  lateText:
    '{received} {coin} wurden nach Ablauf der Frist gesehen. Die Zahlung ist erfasst; die Bestellung wird abgeschlossen, sobald sie bestätigt ist.',
  partialTitle: 'Es ist zu wenig rechtzeitig eingetroffen',
  partialText:
    '{received} {coin} sind eingetroffen, {remaining} {coin} fehlen. Sie können eine Adresse für eine Erstattung hinterlassen oder den Händler fragen.',
  refundingTitle: 'Ihre Erstattung ist unterwegs',
  refundingText: 'Der Händler sendet Ihr Geld zurück.',
  cancelledTitle: 'Diese Bestellung wurde storniert',
  cancelledText: 'Senden Sie nichts. Fragen Sie den Händler, wenn etwas unklar ist.',
  refundedTitle: 'Erstattet',
  refundedText: 'Ihr Geld wurde zurückgesendet.',

  // The order, and what is to be paid.
  order: 'Bestellung {id}',
  coins: 'Zahlen mit',
  onChain: 'auf {chain}',
  noCoins: 'Im Moment lässt sich kein Preis ermitteln. Bitte versuchen Sie es in einer Minute noch einmal.',
  payWith: 'Mit {coin} zahlen',
  yourPayment: 'Ihre Zahlung',
  stillToPay: 'Noch zu zahlen',
  amount: 'Betrag',
  network: 'Netzwerk',
  address: 'Adresse',
  paymentRequest: 'Zahlungsanforderung',
  tokenContract: 'Token-Vertrag',
  onlyThis: 'Senden Sie nur {coin} auf {chain}. Alles andere kann verloren gehen.',
  qrCode: 'QR-Code der Zahlung: {amount} {coin}',
  openWallet: 'In einer Wallet öffnen',
  otherCoin: 'Mit einer anderen Währung zahlen',
  confirmations: 'Bestätigungen',
  timeLeft: 'Verbleibende Zeit',
  lastMinute: 'Es bleibt noch eine Minute zum Zahlen.',

  // Copying.
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyAmount: 'Den Betrag kopieren',
  copyAddress: 'Die Adresse kopieren',
  copyRequest: 'Die Zahlungsanforderung kopieren',
  copyContract: 'Den Token-Vertrag kopieren',

  // Refunds, and the way out.
  refundAsk: 'Adresse für eine Erstattung hinterlassen',
  refundTitle: 'Adresse für eine Erstattung',
  refundLabel: 'Ihre eigene Adresse auf {chain}',
  refundSave: 'Adresse speichern',
  refundNote:
    'Über Erstattungen entscheidet der Händler. Geld geht nur an diese Adresse. Sie lässt sich hier nicht mehr ändern.',
  refundTo: 'Eine Erstattung ginge an',
  refundYours: 'Ihre Erstattung',
  refundAmount: 'Betrag',
  refundAmountNet: 'Betrag abzüglich der Netzwerkgebühr',
  back: 'Zurück',
  toMerchant: 'Zurück zum Händler',
  leaving: 'Sie werden in wenigen Sekunden zum Händler zurückgeleitet.',

  // Refused forms, and pages without an order.
  refusedInput: 'Das wurde nicht angenommen. Prüfen Sie Ihre Eingabe.',
  refusedCoin: 'Diese Währung ist nicht mehr verfügbar. Bitte wählen Sie eine andere.',
  refusedState: 'Das lässt sich nicht mehr ändern.',
  refusedNow: 'Das hat gerade nicht geklappt. Bitte versuchen Sie es in einer Minute noch einmal.',
  refusedOther: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  unknownTitle: 'Diese Bestellung gibt es nicht',
  unknownText: 'Prüfen Sie den Link oder bitten Sie den Händler um einen neuen.',
  awayTitle: 'Gleich wieder da',
  awayText:
    'Diese Seite kann gerade nicht angezeigt werden. Bitte laden Sie sie in einer Minute neu; keine Zahlung geht verloren.',
  topUpTitle: 'Guthaben',
  topUpLeft: 'Diese App hat noch {units} Einheiten.',
  topUpPlans: 'Mehr kaufen',
  topUpUnits: '{units} Einheiten',
  topUpUnknownTitle: 'Diese App gibt es nicht',
  language: 'Sprache',
};
