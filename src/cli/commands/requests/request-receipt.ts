import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { connect } from '../../service/connect.ts'
import { path } from '../../service/path.ts'
import { type ServiceOptions, withService } from '../../service/service-options.ts'
import { withExamples } from '../examples.ts'

/** `countersign requests receipt`: what an approver keeps of a request. */
export function addReceiptCommand(requests: Command): void {
  const receipt = withService(requests.command('receipt'))
    .description('the proof that the audit log has each event of the request, as JSON')
    .argument('<request>', 'its id or number')
    .option('--out <file>', 'write to this file')
    .action(printReceipt)
  withExamples(receipt, ['requests receipt 12 --out receipt-12.json'])
}

async function printReceipt(
  request: string,
  options: ServiceOptions & { out?: string },
): Promise<void> {
  const service = await connect(options)
  const bytes = await service.bytes(path`/v1/requests/${request}/receipt`)
  if (options.out === undefined) {
    process.stdout.write(bytes)
    console.log()
    return
  }
  await writeFile(options.out, bytes)
  console.log(`${options.out}: ${bytes.length} bytes`)
}
