import { DeliveryList } from '../deliveries/delivery-list.tsx'
import { useDeliveries } from '../deliveries/use-deliveries.ts'

/** Callbacks to one's own programs, once there were any. */
export function CallbacksSection() {
  const filter = { mine: true, dead: false }
  const deliveries = useDeliveries(filter)
  if (deliveries.data?.pages[0]?.items.length === 0 || deliveries.isPending) return null
  return (
    <section className="card column" aria-labelledby="callbacks-title">
      <h2 id="callbacks-title">Callbacks</h2>
      <p className="dim small">Your programs are told here when what they asked was decided.</p>
      <DeliveryList filter={filter} mayResend none="None yet." />
    </section>
  )
}
