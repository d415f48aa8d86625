/** States of one notification at one endpoint. `dead`: there are no more attempts. */
export const deliveryStates = ['pending', 'delivered', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]
