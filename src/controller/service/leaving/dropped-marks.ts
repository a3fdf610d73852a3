import { droppedLabels, heldAgain } from '../../../../webhook/rules/engine/marks.ts';
import { isHeld } from '../../../clb/told.ts';
import { keyOf, type ObjectKey, type Service } from '../../../objects.ts';
import type { Change } from '../../../store.ts';
import { noLabels } from '../marks.ts';
import { isGoing } from '../triggers.ts';

/** Whether marks tell where something of a Service may be: of one that was let go, they do not any more. */
const tellsPlaces = (service: Service): boolean => Object.keys(noLabels(service)).length > 0;

/**
 * Services as they were before somebody took our finalizer off, mostly with all that is not in a manifest. One that is to have none by then would
 * be nobody's, with all that it has in the cloud; one that is to have a load balancer would forget the former ones that serve it beside that.
 * Where it was to have none before, whoever took it off wanted it gone.
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

  /** A Service with the marks that it had, if it cannot be cleaned up, or looked after wherever it is, without them; else as it is. */
  putBack(service: Service): Service {
    const before = this.#before.get(keyOf(service));
    const isLost = !isHeld(service) && before?.metadata.uid === service.metadata.uid;
    if (!isLost || !(isGoing(service) || tellsPlaces(before))) return service;
    return heldAgain(service, droppedLabels(before, service));
  }
}
