/* A handshake of client and server: hello, accepted, data, bye. Data before acceptance is refused. */
extern int __VERIFIER_nondet_int(void);

enum { CLOSED = 10, GREETED = 20, OPEN = 30, CLOSING = 40 };

struct connection {
    int state;
    int accepted;
    int received;
    int errors;
};

static void greet(struct connection *connection) {
    if (connection->state == CLOSED) {
        connection->state = GREETED;
    } else {
        connection->errors++;
    }
}

static void accept_client(struct connection *connection, int key) {
    if (connection->state != GREETED) {
        connection->errors++;
        return;
    }
    if (key == 4711) {
        connection->accepted = 1;
        connection->state = OPEN;
    } else {
        connection->state = CLOSED;
    }
}

static void data(struct connection *connection) {
    if (connection->state != OPEN) {
        connection->errors++;
        return;
    }
    if (!connection->accepted) { // never true
        connection->errors = 1000;
        return;
    }
    connection->received++;
}

static void bye(struct connection *connection) {
    if (connection->state == OPEN) {
        connection->state = CLOSING;
    }
    if (connection->state == CLOSING) {
        connection->accepted = 0;
        connection->state = CLOSED;
    }
}

int main(void) {
    struct connection connection = {CLOSED, 0, 0, 0};
    for (int turn = 0; turn < 40; turn++) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            greet(&connection);
            break;
        case 1:
            accept_client(&connection, __VERIFIER_nondet_int());
            break;
        case 2:
            data(&connection);
            break;
        case 3:
            bye(&connection);
            break;
        default:
            break;
        }
        if (connection.state == CLOSING) { // never true
            return 1;
        }
        if (connection.state == CLOSED) {
            if (connection.accepted) { // never true
                return 2;
            }
        }
        if (connection.errors > 2) {
            return 3;
        }
    }
    return connection.received > 1;
}
