import type { Messages } from './en.ts';

/** The page's texts in Spanish. */
export const es: Messages = {
  // Headings and sentences, one pair for each state of an order.
  chooseTitle: 'Elija cómo pagar',
  chooseText: 'Los importes son al cambio actual. El cambio queda fijado cuando elija.',
  waitingTitle: 'Esperando su pago',
  waitingText: 'Envíe el importe exacto a la dirección de abajo. Esta página se actualiza sola.',
  waitingLightningText: 'Pague la solicitud de abajo con un monedero Lightning. Esta página se actualiza sola.',
  closingTitle: 'El plazo para pagar ha terminado',
  closingText: 'No envíe nada ahora. Un pago enviado a tiempo sigue contando y aparecerá aquí.',
  shortTitle: 'Ha llegado una parte del importe',
  shortText: 'Han llegado {received} {coin}. Falta por pagar: {remaining} {coin}.',
  seenTitle: 'Hemos visto su pago',
  seenText: 'No tiene que hacer nada más. Estará completo en un momento.',
  confirmingText: 'No tiene que hacer nada más. La red lo ha confirmado {count} de {needed} veces.',
  recheckingTitle: 'Su pago se está comprobando de nuevo',
  recheckingText: 'La red ha reordenado sus últimos bloques. Suele resolverse por sí solo; no tiene que hacer nada.',
  paidTitle: 'Pagado',
  paidText: 'Su pago está completo. Gracias.',
  paidLateText: 'Su pago llegó después del plazo y ha sido aceptado. Gracias.',
  expiredTitle: 'El plazo para pagar ha terminado',
  expiredText:
    'No llegó nada a tiempo. No envíe nada ahora; pida al comercio un pedido nuevo. Si ya lo ha enviado, quedará registrado igualmente.',
  lateTitle: 'Su pago llegó tarde',
  lateText:
    'Se han visto {received} {coin} después del plazo. El pago queda registrado y el pedido se completará cuando se confirme.',
  partialTitle: 'Llegó menos de lo debido a tiempo',
  partialText:
    'Han llegado {received} {coin}; faltan {remaining} {coin}. Puede dejar una dirección para el reembolso o consultar al comercio.',
  refundingTitle: 'Su reembolso está en camino',
  refundingText: 'El comercio le está devolviendo el dinero.',
  cancelledTitle: 'Este pedido se ha cancelado',
  cancelledText: 'No envíe nada. Si tiene dudas, consulte al comercio.',
  refundedTitle: 'Reembolsado',
  refundedText: 'Se le ha devuelto el dinero.',

  // The order, and what is to be paid.
  order: 'Pedido {id}',
  coins: 'Pagar con',
  onChain: 'en {chain}',
  noCoins: 'Ahora mismo no se puede calcular ningún precio. Vuelva a intentarlo en un minuto.',
  payWith: 'Pagar con {coin}',
  yourPayment: 'Su pago',
  stillToPay: 'Falta por pagar',
  amount: 'Importe',
  network: 'Red',
  address: 'Dirección',
  paymentRequest: 'Solicitud de pago',
  tokenContract: 'Contrato del token',
  onlyThis: 'Envíe solo {coin} en {chain}. Cualquier otra cosa puede perderse.',
  qrCode: 'Código QR del pago: {amount} {coin}',
  openWallet: 'Abrir en un monedero',
  otherCoin: 'Pagar con otra moneda',
  confirmations: 'Confirmaciones',
  timeLeft: 'Tiempo restante',
  lastMinute: 'Queda un minuto para pagar.',

  // Copying.
  copy: 'Copiar',
  copied: 'Copiado',
  copyAmount: 'Copiar el importe',
  copyAddress: 'Copiar la dirección',
  copyRequest: 'Copiar la solicitud de pago',
  copyContract: 'Copiar el contrato del token',

  // Refunds, and the way out.
  refundAsk: 'Dejar una dirección para el reembolso',
  refundTitle: 'Dirección para el reembolso',
  refundLabel: 'Su propia dirección en {chain}',
  refundSave: 'Guardar la dirección',
  refundNote:
    'El comercio decide sobre los reembolsos. El dinero se envía solo a esta dirección. Después no se puede cambiar aquí.',
  refundTo: 'El reembolso iría a',
  refundYours: 'Su reembolso',
  refundAmount: 'Importe',
  refundAmountNet: 'Importe, menos la comisión de la red',
  back: 'Volver',
  toMerchant: 'Volver al comercio',
  leaving: 'En unos segundos volverá a la página del comercio.',

  // Refused forms, and pages without an order.
  refusedInput: 'No se ha aceptado. Revise lo que ha escrito.',
  refusedCoin: 'Esta moneda ya no está disponible. Elija otra.',
  refusedState: 'Esto ya no se puede cambiar.',
  refusedNow: 'No ha funcionado ahora. Vuelva a intentarlo en un minuto.',
  refusedOther: 'No ha funcionado. Vuelva a intentarlo.',
  unknownTitle: 'Este pedido no existe',
  unknownText: 'Compruebe el enlace o pida uno nuevo al comercio.',
  awayTitle: 'Volvemos enseguida',
  awayText: 'Esta página no se puede mostrar ahora. Vuelva a cargarla en un minuto; ningún pago se pierde.',
  language: 'Idioma',
};
