/** Of one notification at one endpoint. `dead`: no attempt is made any more. */
export const deliveryStates = ['pending', 'delivered', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]
