import type { Messages } from './en.ts';

/** The page's texts in French. */
export const fr: Messages = {
  // Headings and sentences, one pair for each state of an order.
  chooseTitle: 'Choisissez comment payer',
  chooseText: 'Les montants sont au cours actuel. Il est fixé dès votre choix.',
  waitingTitle: 'En attente de votre paiement',
  waitingText: 'Envoyez le montant exact à l’adresse ci-dessous. Cette page se met à jour toute seule.',
  waitingLightningText:
    'Payez la demande ci-dessous avec un portefeuille Lightning. Cette page se met à jour toute seule.',
  closingTitle: 'Le délai de paiement est écoulé',
  closingText: 'N’envoyez plus rien. Un paiement envoyé à temps compte encore et apparaîtra ici.',
  shortTitle: 'Une partie du montant est arrivée',
  shortText: '{received} {coin} sont arrivés. Reste à payer : {remaining} {coin}.',
  seenTitle: 'Votre paiement a été vu',
  seenText: 'Vous n’avez plus rien à faire. Il sera terminé dans un instant.',
  confirmingText: 'Vous n’avez plus rien à faire. Le réseau l’a confirmé {count} fois sur {needed}.',
  recheckingTitle: 'Votre paiement est vérifié à nouveau',
  recheckingText:
    'Le réseau a réorganisé ses derniers blocs. Cela se règle en général tout seul ; il n’y a rien à faire.',
  paidTitle: 'Payé',
  paidText: 'Votre paiement est terminé. Merci.',
  paidLateText: 'Votre paiement est arrivé après le délai et a été accepté. Merci.',
  expiredTitle: 'Le délai de paiement est écoulé',
  expiredText:
    'Rien n’est arrivé à temps. N’envoyez plus rien ; demandez une nouvelle commande au marchand. Si vous avez déjà payé, le paiement sera tout de même enregistré.',
  lateTitle: 'Votre paiement est arrivé en retard',
  lateText:
    '{received} {coin} ont été vus après le délai. Le paiement est enregistré, et la commande sera terminée dès sa confirmation.',
  partialTitle: 'Le montant arrivé à temps est insuffisant',
  partialText:
    '{received} {coin} sont arrivés, il manque {remaining} {coin}. Vous pouvez laisser une adresse de remboursement ou vous adresser au marchand.',
  refundingTitle: 'Votre remboursement est en route',
  refundingText: 'Le marchand vous renvoie votre argent.',
  cancelledTitle: 'Cette commande a été annulée',
  cancelledText: 'N’envoyez rien. Adressez-vous au marchand si vous avez des questions.',
  refundedTitle: 'Remboursé',
  refundedText: 'Votre argent vous a été renvoyé.',

  // The order, and what is to be paid.
  order: 'Commande {id}',
  coins: 'Payer avec',
  onChain: 'sur {chain}',
  noCoins: 'Aucun prix ne peut être calculé pour le moment. Réessayez dans une minute.',
  payWith: 'Payer avec {coin}',
  yourPayment: 'Votre paiement',
  stillToPay: 'Reste à payer',
  amount: 'Montant',
  network: 'Réseau',
  address: 'Adresse',
  paymentRequest: 'Demande de paiement',
  tokenContract: 'Contrat du jeton',
  onlyThis: 'Envoyez uniquement {coin} sur {chain}. Tout autre envoi peut être perdu.',
  qrCode: 'Code QR du paiement : {amount} {coin}',
  openWallet: 'Ouvrir dans un portefeuille',
  otherCoin: 'Payer avec une autre monnaie',
  confirmations: 'Confirmations',
  timeLeft: 'Temps restant',
  lastMinute: 'Il reste une minute pour payer.',

  // Copying.
  copy: 'Copier',
  copied: 'Copié',
  copyAmount: 'Copier le montant',
  copyAddress: 'Copier l’adresse',
  copyRequest: 'Copier la demande de paiement',
  copyContract: 'Copier le contrat du jeton',

  // Refunds, and the way out.
  refundAsk: 'Laisser une adresse de remboursement',
  refundTitle: 'Adresse de remboursement',
  refundLabel: 'Votre propre adresse sur {chain}',
  refundSave: 'Enregistrer l’adresse',
  refundNote:
    'Le marchand décide des remboursements. L’argent n’est envoyé qu’à cette adresse. Elle ne pourra plus être modifiée ici.',
  refundTo: 'Un remboursement irait à',
  refundYours: 'Votre remboursement',
  refundAmount: 'Montant',
  refundAmountNet: 'Montant, moins les frais du réseau',
  back: 'Retour',
  toMerchant: 'Retour chez le marchand',
  leaving: 'Vous allez être redirigé vers le marchand dans quelques secondes.',

  // Refused forms, and pages without an order.
  refusedInput: 'Cela n’a pas été accepté. Vérifiez votre saisie.',
  refusedCoin: 'Cette monnaie n’est plus disponible. Choisissez-en une autre.',
  refusedState: 'Cela ne peut plus être modifié.',
  refusedNow: 'Cela n’a pas fonctionné à l’instant. Réessayez dans une minute.',
  refusedOther: 'Cela n’a pas fonctionné. Réessayez.',
  unknownTitle: 'Cette commande n’existe pas',
  unknownText: 'Vérifiez le lien ou demandez-en un nouveau au marchand.',
  awayTitle: 'De retour dans un instant',
  awayText:
    'Cette page ne peut pas s’afficher pour le moment. Rechargez-la dans une minute ; aucun paiement n’est perdu.',
  topUpTitle: 'Unités prépayées',
  topUpLeft: 'Il reste {units} unités à cette application.',
  topUpPlans: 'En acheter',
  topUpUnits: '{units} unités',
  topUpUnknownTitle: 'Cette application n’existe pas',
  language: 'Langue',
};
