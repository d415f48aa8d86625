import { useMe } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { Together } from '../states/together.tsx'
import { AbsenceSection } from './absence-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { SlackSection } from './slack-section.tsx'
import { DeliveryList } from '../deliveries/delivery-list.tsx'
import { useDeliveries } from '../deliveries/use-deliveries.ts'
import './account.css'

/** The account of the signed-in person: their sign-in methods, sessions, keys and notifications. */
export function AccountPage() {
  const { person } = useMe()
  return (
    <>
      <div className="page-head">
        <Headline tab="Account">Your account</Headline>
      </div>
      <p className="dim account-person">
        {person.name} · {person.email} ·{' '}
        {person.teams.length > 0 ? `teams: ${person.teams.join(', ')}` : 'in no team'}
      </p>
      <Together what="your account" layout="pairs">
        <div className="column account-sections">
          <SessionsSection />
          <NotificationsSection />
          <AbsenceSection />
          <SlackSection />
          <PasskeysSection />
          <KeysSection />
          <CallbacksSection />
        </div>
      </Together>
    </>
  )
}

/** Deliveries of callbacks to the person's programs. Hidden while there are none. */
function CallbacksSection() {
  const filter = { mine: true, dead: false }
  const deliveries = useDeliveries(filter)
  if (deliveries.data?.pages[0]?.items.length === 0 || deliveries.isPending) return null
  return (
    <section className="card column" aria-labelledby="callbacks-title">
      <h2 id="callbacks-title">Callbacks</h2>
      <p className="dim small">
        The service notifies your programs here when their requests are decided.
      </p>
      <DeliveryList filter={filter} mayResend none="No deliveries yet." />
    </section>
  )
}
