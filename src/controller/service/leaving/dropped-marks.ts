import { droppedLabels, heldAgain } from '../../../../webhook/rules/engine/marks.ts';
import { isHeld } from '../../../clb/told.ts';
import { keyOf, type ObjectKey, type Service } from '../../../objects.ts';
import type { Change } from '../../../store.ts';
import { isGoing } from '../triggers.ts';

/**
 * Services as they were before somebody took our finalizer off, mostly with all that is not in a manifest. One that is to have a load balancer
 * gets it back in its turn; one that is to have none by then would be nobody's, with all that it has in the cloud. Where it was to
 * have none before, whoever took it off wanted it gone.
 */
export class DroppedMarks {
  readonly #before = new Map<ObjectKey, Service>();

  /** Is told of every change of a Service, our own ones too. */
  see({ before, after }: Change<Service>): void {
    const object = after ?? before;
    if (object === undefined) return;
    const isSame = after !== undefined && before?.metadata.uid === after.metadata.uid;
    if (!isSame || isHeld(after)) this.#before.delete(keyOf(object));
    else if (isHeld(before) && !isGoing(before)) this.#before.set(keyOf(object), before);
  }

  /** A Service with the marks that it had, if it is to be cleaned up and cannot be without; else as it is. */
  putBack(service: Service): Service {
    const before = this.#before.get(keyOf(service));
    const isLost = isGoing(service) && !isHeld(service) && before?.metadata.uid === service.metadata.uid;
    return isLost ? heldAgain(service, droppedLabels(before, service)) : service;
  }
}
