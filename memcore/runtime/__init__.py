"""What Settings choose: configuration, backends, and the doctor that checks them."""
