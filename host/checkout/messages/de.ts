import type { Messages } from './en.ts';

/** The page's texts in German. */
export const de: Messages = {
  // Headings and sentences, one pair for each state of an order.
  chooseTitle: 'Wählen Sie, womit Sie zahlen',
  chooseText: 'Die Beträge entsprechen dem aktuellen Wechselkurs. Er wird mit Ihrer Auswahl festgelegt.',
  waitingTitle: 'Zahlung ausstehend',
  waitingText: 'Senden Sie genau diesen Betrag an die Adresse unten. Diese Seite wird automatisch aktualisiert.',
  waitingLightningText:
    'Bezahlen Sie die Rechnung unten mit einer Lightning-Wallet. Diese Seite wird automatisch aktualisiert.',
  closingTitle: 'Zahlungsfrist abgelaufen',
  closingText: 'Senden Sie jetzt keine Zahlung mehr. Eine rechtzeitig gesendete Zahlung zählt noch und erscheint hier.',
  shortTitle: 'Teilweise bezahlt',
  shortText:
    '{received} {coin} eingegangen. Senden Sie die restlichen {remaining} {coin}, um die Zahlung abzuschließen.',
  vanishedTitle: 'Ihre Zahlung wurde verworfen',
  vanishedText:
    'Sie wurde ersetzt oder verworfen, bevor das Netzwerk sie bestätigt hat. Wenn Sie sie erneut gesendet haben, erscheint sie hier automatisch. Andernfalls können Sie unten noch zahlen.',
  seenTitle: 'Zahlung erkannt',
  seenText: 'Sie müssen nichts weiter tun. Ihre Zahlung ist gleich abgeschlossen.',
  confirmingText: 'Sie müssen nichts weiter tun. Das Netzwerk bestätigt gerade Ihre Zahlung.',
  recheckingTitle: 'Ihre Zahlung wird erneut bestätigt',
  recheckingText:
    'Das Netzwerk hat seine letzten Blöcke ersetzt. Das klärt sich meist von selbst. Sie müssen nichts tun.',
  paidTitle: 'Bezahlt',
  paidText: 'Ihre Zahlung ist abgeschlossen. Vielen Dank.',
  overpaidText:
    'Ihre Zahlung ist abgeschlossen. Sie haben {surplus} {coin} zu viel bezahlt. Wenden Sie sich an den Händler, um den Betrag zurückzuerhalten.',
  paidLateText: 'Ihre Zahlung ging nach Ablauf der Frist ein und wurde angenommen. Vielen Dank.',
  expiredTitle: 'Zahlungsfrist abgelaufen',
  expiredText:
    'Es ist keine Zahlung rechtzeitig eingegangen. Senden Sie jetzt keine mehr; bitten Sie den Händler um eine neue Bestellung. Eine bereits gesendete Zahlung wird trotzdem erfasst.',
  lostTitle: 'Ihre Zahlung wurde nicht bestätigt',
  lostText:
    'Sie wurde ersetzt oder verworfen, bevor das Netzwerk sie bestätigt hat; es ist nichts eingegangen. Senden Sie jetzt keine Zahlung mehr; bitten Sie den Händler um eine neue Bestellung.',
  lateTitle: 'Ihre Zahlung kam zu spät',
  lateText:
    '{received} {coin} gingen nach Ablauf der Frist ein. Die Zahlung ist erfasst. Ist Ihre Bestellung nach der Bestätigung durch das Netzwerk nicht abgeschlossen, wenden Sie sich an den Händler.',
  partialTitle: 'Teilweise bezahlt',
  partialText:
    'Die Zahlungsfrist ist abgelaufen, bevor der volle Betrag einging: {received} {coin} eingegangen, {remaining} {coin} fehlen. Geben Sie eine Erstattungsadresse an oder wenden Sie sich an den Händler.',
  refundingTitle: 'Erstattung läuft',
  refundingText: 'Der Händler sendet Ihr Geld zurück.',
  cancelledTitle: 'Bestellung storniert',
  cancelledText: 'Senden Sie keine Zahlung. Wenden Sie sich bei Fragen an den Händler.',
  refundedTitle: 'Erstattet',
  refundedText: 'Ihr Geld wurde zurückgesendet.',

  // The order, and what is to be paid.
  order: 'Bestellung {id}',
  coins: 'Zahlen mit',
  onBoth: '{chain} oder Lightning',
  noCoins: 'Derzeit ist kein Wechselkurs verfügbar. Versuchen Sie es in einer Minute noch einmal.',
  payWith: 'Mit {coin} zahlen',
  payLightning: 'Stattdessen mit Lightning zahlen',
  yourPayment: 'Ihre Zahlung',
  stillToPay: 'Restbetrag',
  amount: 'Betrag',
  rate: 'Wechselkurs',
  validUntil: 'Gültig bis',
  address: 'Adresse',
  paymentRequest: 'Lightning-Rechnung',
  tokenContract: 'Token-Vertrag',
  addressOnly: 'Der Code enthält nur die Adresse. Geben Sie den Betrag von {amount} {coin} in Ihrem Wallet selbst ein.',
  onlyThis:
    'Senden Sie nur {coin} auf {chain}. Andere Währungen oder Zahlungen in anderen Netzwerken können verloren gehen.',
  exchangeHint:
    'Zahlen Sie von einer Börse aus? Sie zieht ihre Gebühr möglicherweise vom eingegebenen Betrag ab. Rechnen Sie die Gebühr hinzu, damit {amount} {coin} ankommen.',
  qrCode: 'QR-Code für die Zahlung: {amount} {coin}',
  openWallet: 'In Wallet öffnen',
  walletPay: 'Mit {wallet} zahlen',
  walletOther: 'einer Browser-Wallet',
  walletAsked: 'Bestätigen Sie die Zahlung in Ihrer Wallet.',
  walletSent:
    'Die Zahlung wurde an das Netzwerk gesendet. Diese Seite wird automatisch aktualisiert, sobald sie erkannt wird.',
  walletRefused:
    'Die Zahlung wurde in Ihrer Wallet abgelehnt. Es wurde nichts gesendet; Sie können es noch einmal versuchen.',
  walletNetwork:
    'Ihre Wallet ist mit einem anderen Netzwerk verbunden. Wechseln Sie zu {chain} und versuchen Sie es noch einmal.',
  walletFailed: 'Ihre Wallet konnte die Zahlung nicht senden. Verwenden Sie den QR-Code oder die Adresse oben.',
  otherCoin: 'Mit einer anderen Währung zahlen',
  progress: '{count} von {needed} Bestätigungen',
  progressAbout: '{count} von {needed} Bestätigungen, noch etwa {time}',
  confirmations: 'Bestätigungen',
  confirmationsOf: '{count} von {needed}',
  unconfirmed: 'Unbestätigt',
  transaction: 'Transaktions-ID',
  lookUpAddress: 'Adresse im Block-Explorer ansehen',
  lookUp: 'Im Block-Explorer ansehen',
  due: 'Zu zahlender Betrag',
  arrived: 'Eingegangen',
  missing: 'Restbetrag',
  surplus: 'Zu viel bezahlt',
  paidAt: 'Zeitpunkt der Zahlung',
  bought: 'Ihre Bestellung',
  tip: 'Trinkgeld',
  total: 'Gesamt',
  receipt: 'Beleg',
  print: 'Beleg drucken',
  timeLeft: 'Verbleibende Zeit',
  lastMinute: 'Es bleibt noch eine Minute zum Zahlen.',

  // Copying.
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyAmount: 'Betrag kopieren',
  copyAddress: 'Adresse kopieren',
  copyRequest: 'Lightning-Rechnung kopieren',
  copyContract: 'Token-Vertrag kopieren',
  copyTransaction: 'Transaktions-ID kopieren',
  copyUri: 'Wallet-Link kopieren',

  // Refunds, and the way out.
  refundAsk: 'Erstattungsadresse angeben',
  refundChange: 'Erstattungsadresse ändern',
  refundTitle: 'Erstattungsadresse',
  refundLabel: 'Ihre Wallet-Adresse auf {chain}',
  refundSave: 'Adresse speichern',
  refundNote:
    'Über Erstattungen entscheidet der Händler. Geld wird nur an diese Adresse gesendet. Sie können sie nur in diesem Browser ändern, bis eine Erstattung beginnt.',
  refundTo: 'Eine Erstattung wird gesendet an',
  refundElsewhere:
    'Diese Adresse lässt sich nur in dem Browser ändern, in dem sie eingegeben wurde. Der Händler kann sie entfernen.',
  refundYours: 'Ihre Erstattung',
  refundAmount: 'Betrag',
  refundAmountNet: 'Betrag abzüglich der Netzwerkgebühr',
  back: 'Zurück',
  toMerchant: 'Zurück zum Händler',
  leaving: 'Sie werden in wenigen Sekunden zum Händler weitergeleitet.',
  stay: 'Beleg ansehen',
  closeText: 'Sie können diese Seite schließen. Mit demselben Link können Sie sie wieder öffnen.',
  support: 'Fragen zu dieser Bestellung? Wenden Sie sich an den Händler:',

  // Refused forms, and pages without an order.
  refusedAddress:
    'Das ist keine Adresse auf {chain}. Prüfen Sie, ob Sie sie vollständig kopiert haben und ob Ihr Wallet {chain} verwendet.',
  refusedCoin: 'Diese Währung ist nicht mehr verfügbar. Wählen Sie eine andere.',
  refusedState: 'Das lässt sich nicht mehr ändern. Wenden Sie sich bei Fragen an den Händler.',
  refusedNow: 'Das ist vorübergehend nicht möglich. Versuchen Sie es in einer Minute noch einmal.',
  refusedOther: 'Etwas ist schiefgegangen. Versuchen Sie es noch einmal.',
  sandbox: 'Sandbox: nur zum Testen. Senden Sie kein echtes Geld.',
  unknownTitle: 'Bestellung nicht gefunden',
  unknownText: 'Prüfen Sie den Link oder bitten Sie den Händler um einen neuen.',
  awayTitle: 'Vorübergehend nicht verfügbar',
  awayText: 'Laden Sie diese Seite in einer Minute neu. Gesendete Zahlungen gehen nicht verloren.',
  topUpTitle: 'Vorausbezahlte Einheiten',
  topUpLeft: 'Verbleibende Einheiten dieser App: {units}',
  topUpPlans: 'Weitere Einheiten kaufen',
  topUpUnits: '{units} Einheiten',
  topUpUnknownTitle: 'App nicht gefunden',
  language: 'Sprache',
};
