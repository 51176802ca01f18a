import type { Messages } from './en.ts';

/** The page's texts in Portuguese. */
export const pt: Messages = {
  // Headings and sentences, one pair for each state of an order.
  chooseTitle: 'Escolha como pagar',
  chooseText: 'Os valores estão na cotação atual. Ela fica fixada quando você escolher.',
  waitingTitle: 'Aguardando o seu pagamento',
  waitingText: 'Envie o valor exato para o endereço abaixo. Esta página se atualiza sozinha.',
  waitingLightningText: 'Pague a solicitação abaixo com uma carteira Lightning. Esta página se atualiza sozinha.',
  closingTitle: 'O prazo para pagar terminou',
  closingText: 'Não envie nada agora. Um pagamento enviado a tempo ainda conta e aparecerá aqui.',
  shortTitle: 'Parte do valor chegou',
  shortText: 'Chegaram {received} {coin}. Falta pagar: {remaining} {coin}.',
  seenTitle: 'O seu pagamento foi visto',
  seenText: 'Não é preciso fazer mais nada. Ele será concluído em instantes.',
  confirmingText: 'Não é preciso fazer mais nada. A rede o confirmou {count} de {needed} vezes.',
  recheckingTitle: 'O seu pagamento está sendo verificado de novo',
  recheckingText:
    'A rede reorganizou os seus últimos blocos. Isso costuma se resolver sozinho; não é preciso fazer nada.',
  paidTitle: 'Pago',
  paidText: 'O seu pagamento está concluído. Obrigado.',
  paidLateText: 'O seu pagamento chegou depois do prazo e foi aceito. Obrigado.',
  expiredTitle: 'O prazo para pagar terminou',
  expiredText:
    'Nada chegou a tempo. Não envie nada agora; peça um novo pedido à loja. Se você já enviou, o pagamento será registrado mesmo assim.',
  lateTitle: 'O seu pagamento chegou atrasado',
  lateText:
    '{received} {coin} foram vistos depois do prazo. O pagamento está registrado, e o pedido será concluído quando ele for confirmado.',
  partialTitle: 'Chegou menos que o devido a tempo',
  partialText:
    'Chegaram {received} {coin}; faltam {remaining} {coin}. Você pode deixar um endereço para reembolso ou falar com a loja.',
  refundingTitle: 'O seu reembolso está a caminho',
  refundingText: 'A loja está devolvendo o seu dinheiro.',
  cancelledTitle: 'Este pedido foi cancelado',
  cancelledText: 'Não envie nada. Se tiver dúvidas, fale com a loja.',
  refundedTitle: 'Reembolsado',
  refundedText: 'O seu dinheiro foi devolvido.',

  // The order, and what is to be paid.
  order: 'Pedido {id}',
  coins: 'Pagar com',
  onChain: 'na rede {chain}',
  noCoins: 'Nenhum preço pode ser calculado no momento. Tente de novo em um minuto.',
  payWith: 'Pagar com {coin}',
  yourPayment: 'O seu pagamento',
  stillToPay: 'Falta pagar',
  amount: 'Valor',
  network: 'Rede',
  address: 'Endereço',
  paymentRequest: 'Solicitação de pagamento',
  tokenContract: 'Contrato do token',
  onlyThis: 'Envie somente {coin} na rede {chain}. Qualquer outra coisa pode se perder.',
  qrCode: 'Código QR do pagamento: {amount} {coin}',
  openWallet: 'Abrir em uma carteira',
  otherCoin: 'Pagar com outra moeda',
  confirmations: 'Confirmações',
  timeLeft: 'Tempo restante',
  lastMinute: 'Resta um minuto para pagar.',

  // Copying.
  copy: 'Copiar',
  copied: 'Copiado',
  copyAmount: 'Copiar o valor',
  copyAddress: 'Copiar o endereço',
  copyRequest: 'Copiar a solicitação de pagamento',
  copyContract: 'Copiar o contrato do token',

  // Refunds, and the way out.
  refundAsk: 'Deixar um endereço para reembolso',
  refundTitle: 'Endereço para reembolso',
  refundLabel: 'O seu próprio endereço na rede {chain}',
  refundSave: 'Salvar o endereço',
  refundNote:
    'A loja decide sobre reembolsos. O dinheiro é enviado somente para este endereço. Depois, não é possível alterá-lo aqui.',
  refundTo: 'Um reembolso iria para',
  refundYours: 'O seu reembolso',
  refundAmount: 'Valor',
  refundAmountNet: 'Valor, menos a taxa da rede',
  back: 'Voltar',
  toMerchant: 'Voltar para a loja',
  leaving: 'Você voltará para a loja em alguns segundos.',

  // Refused forms, and pages without an order.
  refusedInput: 'Isso não foi aceito. Confira o que você digitou.',
  refusedCoin: 'Esta moeda não está mais disponível. Escolha outra.',
  refusedState: 'Isso não pode mais ser alterado.',
  refusedNow: 'Não funcionou agora. Tente de novo em um minuto.',
  refusedOther: 'Não funcionou. Tente de novo.',
  unknownTitle: 'Este pedido não existe',
  unknownText: 'Confira o link ou peça um novo à loja.',
  awayTitle: 'Voltamos em instantes',
  awayText: 'Esta página não pode ser mostrada agora. Recarregue-a em um minuto; nenhum pagamento se perde.',
  language: 'Idioma',
};
